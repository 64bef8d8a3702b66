import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BERLIN,
  type ConnectedShop,
  type Json,
  ROUTE,
  startConnectedShop,
} from "./connector-shop.ts";
import { missing } from "./wordpress.ts";

let shop: ConnectedShop;
beforeAll(async () => {
  if (missing === undefined) shop = await startConnectedShop();
});
afterAll(() => shop?.stop());

/** The number of a product of the shop that nothing else here buys. */
let sku = 20;

/** Reserves, orders and releases, and returns what was ordered and the cart. */
async function trade() {
  const product_id = shop.products[`SHOP-0${++sku}`] as string;
  const cart = {
    currency: "EUR",
    lines: [{ product_id, quantity: 2 }],
    destination: BERLIN,
    option_id: "flat_rate:1",
    coupons: [],
  };
  const { total_minor } = await shop.send({ type: "quote", ...cart });
  const reserve = (reservation_id: string) =>
    shop.send({ type: "reserve", reservation_id, expires_in_s: 3600, ...cart, total_minor });
  const [sold, freed] = [`pay_${sku}_sold`, `pay_${sku}_freed`];
  expect([(await reserve(sold)).state, (await reserve(freed)).state]).toEqual([
    "reserved",
    "reserved",
  ]);
  const order = {
    order_id: `ord_${sku}`,
    number: sku,
    revision: 1,
    reservation_id: sold,
    created_at: "2026-11-18T12:00:00.000Z",
    test: false,
    currency: "EUR",
    lines: [
      { line_id: "li_1", title: "A", cancelled: 0, sent: 0, unit_minor: 495, ...cart.lines[0] },
    ],
    option: { id: "flat_rate:1", title: "Parcel", amount_minor: 583 },
    discount_minor: 0,
    tax_minor: 0,
    total_minor,
    buyer: { email: "ann@example.com", first_name: "Ann", last_name: "Lee", phone: null },
    destination: { ...BERLIN, first_name: "Ann", last_name: "Lee" },
    agent: { id: "agt_1", name: "Shopper" },
    payment: { state: "authorized", provider: "stripe", reference: "pi_1", captured_minor: 0 },
    refunds: [],
  };
  const { shop_order_id } = await shop.send({ type: "order", order });
  const cancelled = { ...order, revision: 2, lines: [{ ...order.lines[0], cancelled: 1 }] };
  await shop.send({ type: "order", order: cancelled });
  await shop.send({ type: "release", reservation_id: freed });
  return { product_id, cart, total_minor, order: cancelled, shop_order_id, freed };
}

/** Everything of the shop that messages of Gatehouse change. */
const books = (): Promise<Json> =>
  shop.php(`global $wpdb; echo json_encode( array(
    'orders'   => array_map( fn( $order ) => array( $order->get_id(), $order->get_status(), $order->get_total(), count( $order->get_refunds() ), $order->get_meta( '_gatehouse_revision' ) ), wc_get_orders( array( 'limit' => -1, 'type' => 'shop_order', 'orderby' => 'ID', 'status' => 'any' ) ) ),
    'drafts'   => count( wc_get_orders( array( 'limit' => -1, 'status' => 'checkout-draft' ) ) ),
    'stock'    => array_map( fn( $product ) => $product->get_stock_quantity(), wc_get_products( array( 'limit' => -1, 'orderby' => 'ID' ) ) ),
    'reserved' => $wpdb->get_results( "SELECT product_id, stock_quantity FROM $wpdb->wc_reserved_stock ORDER BY product_id" ),
    'known'    => $wpdb->get_results( "SELECT id, state FROM {$wpdb->prefix}gatehouse_reservations ORDER BY id" ),
  ) )`);

describe.skipIf(missing !== undefined)("a shop that was connected again", () => {
  test.each(["replaced", "disconnected"])(
    "refuses every message of the connection that was %s, and changes nothing",
    async (how) => {
      const first = shop.sentMessages.length;
      const sold = await trade();
      const old = shop.sentMessages.slice(first);
      expect([...new Set(old.map(({ body }) => JSON.parse(body).type))].sort()).toEqual([
        "order",
        "quote",
        "release",
        "reserve",
      ]);
      if (how === "disconnected") await shop.php("Gatehouse\\Connection::disconnect(); echo 1");
      await shop.connectAgain();
      // The new connection has reserved the goods under the id that the old one released.
      const { cart, total_minor, order, freed } = sold;
      const again = { type: "reserve", reservation_id: `${freed}_new`, expires_in_s: 3600 };
      const reserved = await shop.send({ ...again, ...cart, total_minor });
      expect(reserved.state).toBe("reserved");
      const before = await books();
      for (const { headers, body } of old) {
        const answer = await fetch(shop.wordpress.url + ROUTE, { method: "POST", headers, body });
        expect([body, answer.status, answer.headers.get("webhook-signature")]).toEqual([
          body,
          401,
          null,
        ]);
      }
      expect(await books()).toEqual(before);
      // Gatehouse sends the order again with the new secret: it is the one that the shop has.
      const known = await shop.send({ type: "order", order });
      expect(known.shop_order_id).toBe(sold.shop_order_id);
      const { known: rows, ...others } = await books();
      const { known: rowsBefore, ...othersBefore } = before;
      expect(others).toEqual(othersBefore);
      expect(rows.length).toBeGreaterThanOrEqual(rowsBefore.length);
    },
  );
});
