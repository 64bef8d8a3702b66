import { Broken, needed } from "./finding.js";
import type { Goods } from "./goods.js";
import { newId } from "./new-id.js";
import type { Report } from "./report.js";

/** A reservation that is left alone. */
const SHORT_S = 1;
const NOT_HELD = "No goods were reserved before.";
const NOT_RELEASED = "No reservation was released before.";

async function checkRelease(report: Report, goods: Goods): Promise<boolean> {
  const { shop } = goods;
  const held = await report.check(
    "Reserve",
    "Reserved goods are not available to others.",
    async () => {
      const stock = await goods.stockFor(3);
      const id = await goods.reserve(2);
      await goods.expectStock(stock - 2);
      return { id, stock };
    },
  );
  const released = await report.check(
    "Release",
    "A released reservation frees its goods.",
    async () => {
      const { id, stock } = needed(held, NOT_HELD);
      await shop.release(id);
      await goods.expectStock(stock);
      return { id, stock };
    },
  );
  await report.check("Release", "Releasing again changes nothing.", async () => {
    const { id, stock } = needed(released, NOT_RELEASED);
    await shop.release(id);
    await goods.expectStock(stock);
  });
  await report.check("Reserve", "A released reservation cannot be reserved again.", async () => {
    const { id } = needed(released, NOT_RELEASED);
    const { totalMinor } = await goods.price(2);
    await shop.refused(id, goods.cart(2), totalMinor, "closed");
  });
  const unknown = newId("pay");
  const answered = await report.check(
    "Release",
    "The release of an unknown reservation is answered.",
    async () => {
      await shop.release(unknown);
      return true;
    },
  );
  await report.check(
    "Reserve",
    "A reservation that arrives after its release is refused.",
    async () => {
      needed(answered, NOT_RELEASED);
      const { totalMinor } = await goods.price(1);
      await shop.refused(unknown, goods.cart(1), totalMinor, "closed");
    },
  );
  await shop.tidy();
  return held !== undefined;
}

/** Asks for all that is there twice at the same moment. An answer that says nothing is no reservation. */
async function reserveAllTwice(goods: Goods, isBounded: boolean | undefined): Promise<void> {
  needed(isBounded, "A reservation can exceed the stock.");
  const { shop } = goods;
  const stock = await goods.stockFor(2);
  const { totalMinor } = await goods.price(stock);
  const cart = goods.cart(stock);
  const both = await Promise.allSettled(
    [newId("pay"), newId("pay")].map((id) => shop.reserve(id, cart, totalMinor)),
  );
  const reserved = both.filter(
    (one) => one.status === "fulfilled" && one.value.state === "reserved",
  );
  if (reserved.length === 1) return;
  const failed = both.find((one) => one.status === "rejected");
  if (reserved.length === 0 && failed !== undefined) throw failed.reason;
  const problem =
    reserved.length === 0
      ? `Both reservations failed, although all ${stock} items are in stock.`
      : `Both reservations of all ${stock} of the product were made.`;
  throw new Broken(problem, shop.last);
}

/** Reserves and releases goods, again and in the wrong order too. */
export async function checkReservations(
  report: Report,
  goods: Goods,
  freedMsMax: number,
): Promise<void> {
  const { shop } = goods;
  const isHeld = (await checkRelease(report, goods)) || undefined;
  await report.check("Reserve", "The same reservation again holds its goods once.", async () => {
    needed(isHeld, NOT_HELD);
    const stock = await goods.stockFor(4);
    const { totalMinor } = await goods.price(2);
    const id = await shop.reserved(goods.cart(2), totalMinor);
    await shop.reserveAgain(id, goods.cart(2), totalMinor);
    await goods.expectStock(stock - 2);
  });
  await shop.tidy();
  await report.check("Reserve", "Two reservations hold the goods of both.", async () => {
    needed(isHeld, NOT_HELD);
    const stock = await goods.stockFor(3);
    await goods.reserve(1);
    await goods.reserve(1);
    await goods.expectStock(stock - 2);
  });
  await shop.tidy();
  const isBounded = await report.check(
    "Reserve",
    "A reservation beyond the stock is refused with out_of_stock.",
    async () => {
      needed(isHeld, NOT_HELD);
      const stock = await goods.stockFor(2);
      const { totalMinor } = await goods.price(stock);
      await goods.reserve(1);
      await shop.refused(newId("pay"), goods.cart(stock), totalMinor, "out_of_stock");
      return true;
    },
  );
  await shop.tidy();
  await report.check(
    "Reserve",
    "A reservation with a wrong total is refused with price_changed.",
    async () => {
      const stock = await goods.stockFor(2);
      const { totalMinor } = await goods.price(1);
      await shop.refused(newId("pay"), goods.cart(1), totalMinor + 1, "price_changed");
      await goods.expectStock(stock);
    },
  );
  await shop.tidy();
  await report.check("Reserve", "Of two reservations at the same time, one gets the goods.", () =>
    reserveAllTwice(goods, isBounded),
  );
  await shop.tidy();
  await report.check("Reserve", "A reservation frees its goods when it ends.", async () => {
    needed(isHeld, NOT_HELD);
    const stock = await goods.stockFor(3);
    const { totalMinor } = await goods.price(2);
    await shop.reserved(goods.cart(2), totalMinor, SHORT_S);
    await goods.expectStockWithin(stock, freedMsMax);
  });
  await shop.tidy();
}
