import { cancelled, withCancelled } from "./cancelled-order.js";
import { Broken, needed } from "./finding.js";
import type { Goods } from "./goods.js";
import type { Report } from "./report.js";
import type { Cart } from "./shop-under-test.js";
import { testOrder } from "./test-order.js";

const NO_ORDER = "The first order was not made as it should be.";
const NOT_KEPT = "The cancelled line was not kept.";
const NOT_RETURNED = "Cancelled lines were not returned to the stock.";

async function orderOf(goods: Goods, quantity: number, number: number, cart: Partial<Cart> = {}) {
  const quote = await goods.price(quantity, cart);
  return testOrder({ goods, quantity, quote, number });
}

async function checkFirstOrder(report: Report, goods: Goods) {
  const { shop } = goods;
  const takenOrder = await report.check(
    "Order",
    "An order takes the goods of its reservation once.",
    async () => {
      const stock = await goods.stockFor(3);
      const order = await orderOf(goods, 2, 1);
      await shop.reserveAgain(order.reservation_id, goods.cart(2), order.total_minor);
      const shopOrderId = await shop.order(order);
      await goods.expectStock(stock - 2);
      return { order, shopOrderId };
    },
  );
  await report.check("Order", "The same order again changes nothing.", async () => {
    const { order, shopOrderId } = needed(takenOrder, NO_ORDER);
    const stock = await goods.stockFor(0);
    const again = await shop.order(order);
    if (again !== shopOrderId) {
      const problem = `The answer has shop_order_id ${again}, and before it was ${shopOrderId}.`;
      throw new Broken(problem, shop.last);
    }
    await goods.expectStock(stock);
  });
  await report.check(
    "Reserve",
    "A reservation that became an order cannot be reserved again.",
    async () => {
      const { order } = needed(takenOrder, NO_ORDER);
      const { totalMinor } = await goods.price(2);
      await shop.refused(order.reservation_id, goods.cart(2), totalMinor, "closed");
    },
  );
  await report.check("Release", "A release after the order changes nothing.", async () => {
    const { order } = needed(takenOrder, NO_ORDER);
    const stock = await goods.stockFor(0);
    await shop.release(order.reservation_id);
    await goods.expectStock(stock);
  });
  return takenOrder?.order;
}

async function checkCancelling(
  report: Report,
  goods: Goods,
  first: Awaited<ReturnType<typeof checkFirstOrder>>,
) {
  const { shop } = goods;
  const returned = await report.check(
    "Order",
    "A cancelled line returns to the stock.",
    async () => {
      // One revision is left out, which arrives later.
      const order = withCancelled({ ...needed(first, NO_ORDER), revision: 2 }, 1);
      const stock = await goods.stockFor(0);
      await shop.order(order);
      await goods.expectStock(stock + 1);
      return order;
    },
  );
  await report.check("Order", "The same cancellation again changes nothing.", async () => {
    const order = needed(returned, NOT_RETURNED);
    const stock = await goods.stockFor(0);
    await shop.order(order);
    await goods.expectStock(stock);
  });
  const kept = await report.check("Order", "An older revision changes nothing.", async () => {
    const newest = needed(returned, NOT_RETURNED);
    const stock = await goods.stockFor(0);
    await shop.order({ ...needed(first, NO_ORDER), revision: 2 });
    await goods.expectStock(stock);
    return newest;
  });
  await report.check("Order", "A cancelled order returns all its goods.", async () => {
    const order = cancelled(needed(kept, NOT_KEPT));
    const stock = await goods.stockFor(0);
    await shop.order(order);
    await goods.expectStock(stock + 1);
  });
  return returned;
}

/** Sends orders, repeated and in the wrong order too, and cancels them all. */
export async function checkOrders(report: Report, goods: Goods): Promise<void> {
  const { shop } = goods;
  const first = await checkFirstOrder(report, goods);
  const returned = await checkCancelling(report, goods, first);
  await report.check("Order", "An order without a reservation takes its goods.", async () => {
    needed(first, NO_ORDER);
    const stock = await goods.stockFor(2);
    // As an agent orders by mandate: without a buyer and an address.
    const order = await orderOf(goods, 1, 2, { destination: null, option_id: null });
    await shop.order({ ...order, buyer: null, destination: null });
    await goods.expectStock(stock - 1);
  });
  await report.check(
    "Order",
    "An order that arrives with cancelled lines takes only the rest.",
    async () => {
      needed(returned, NOT_RETURNED);
      const stock = await goods.stockFor(3);
      await shop.order(withCancelled(await orderOf(goods, 2, 3), 1));
      await goods.expectStock(stock - 1);
    },
  );
  await shop.tidyOrders();
}
