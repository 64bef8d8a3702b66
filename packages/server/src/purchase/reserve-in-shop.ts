import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { ReserveFault } from "../connectors/connector.js";
import type { Context } from "../context.js";
import type { Checkout, CheckoutContent } from "../domain/checkouts/checkout.js";
import { checkoutById } from "../domain/checkouts/store.js";
import { newMessage } from "../domain/outbox/message.js";
import { insertMessages } from "../domain/outbox/store.js";
import type { OrderedItem, Payment } from "../domain/payments/payment.js";
import { hasTestItem } from "../domain/products/lookups/store.js";
import { shopConnection } from "../domain/shop-connections/store.js";
import { RESERVED_POINT } from "../infra/crash-points.js";
import type { Transaction } from "../infra/db/database.js";
import { questionOf } from "./shop-question.js";

/** Whether a shop system has the goods. It does not know the items of tests. */
export async function isForShop(
  tx: Transaction,
  siteKeyHash: string,
  items: readonly OrderedItem[],
): Promise<boolean> {
  if ((await shopConnection(tx, siteKeyHash)) === undefined) return false;
  return !(await hasTestItem(
    tx,
    siteKeyHash,
    items.map(({ id }) => id),
  ));
}

/** The content of a checkout with the discount codes that count: a shop system refuses to reserve with others. */
function withoutRejected({ content, quote: { rejectedCodes = [] } }: Checkout): CheckoutContent {
  const { codes = [] } = content;
  return { ...content, codes: codes.filter((code) => !rejectedCodes.includes(code)) };
}

/**
 * Reserves the goods of a payment in the shop system, at the price that was decided about. Every try has the same id,
 * so a repeated one changes nothing. A payment that needs no reservation has one.
 */
export async function reserveInShop(
  { db, shopSystem, crashPoint }: Context,
  payment: Payment,
): Promise<Result<true, ReserveFault>> {
  const { inShop, attemptId, siteKeyHash, amount, items, checkoutId } = payment;
  if (!inShop) return ok(true);
  const connection = await shopConnection(db, siteKeyHash);
  // The shop system was disconnected after the decision: nobody can say whether the goods are there.
  if (connection === undefined) return refuse("closed", "The shop system was disconnected.");
  const checkout = checkoutId === null ? null : await checkoutById(db, siteKeyHash, checkoutId);
  if (checkout === undefined) return refuse("closed", "The checkout is gone.");
  const { currency, minor: totalMinor } = amount;
  const lines = items.map(({ id: productId, quantity }) => ({ productId, quantity }));
  const content = checkout === null ? null : withoutRejected(checkout);
  const question = questionOf({ siteKeyHash, currency, lines, content });
  const reservation = { reservationId: attemptId, totalMinor, ...question };
  const reserved = await shopSystem.reserve(connection, reservation);
  crashPoint(RESERVED_POINT);
  return reserved;
}

/**
 * Writes the message that frees the goods, in the transaction that ends the payment without an order. The shop system
 * may have reserved them even if it did not answer.
 */
export async function releaseInShop(
  { ids }: Pick<Context, "ids">,
  tx: Transaction,
  { inShop, siteKeyHash, attemptId }: Payment,
  now: number,
): Promise<void> {
  const connection = inShop ? await shopConnection(tx, siteKeyHash) : undefined;
  if (connection === undefined) return;
  const message = newMessage({
    messageId: ids.timeId("msg", now),
    siteKeyHash,
    kind: "webhook",
    audience: "shop",
    topic: "reservation.released",
    subjectId: attemptId,
    position: null,
    destination: connection.endpoint,
    body: JSON.stringify({ reservation_id: attemptId }),
    createdAt: now,
  });
  await insertMessages(tx, [message]);
}
