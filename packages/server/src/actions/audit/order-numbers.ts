import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import { ordersAmong } from "../../domain/orders/store.js";
import { reviewsAmong } from "../../domain/reviews/store.js";
import type { Queries } from "../../infra/db/database.js";

const textOf = (value: unknown) => (typeof value === "string" ? [value] : []);

/** The ids by which a record names an order, its payment or its review. */
function namedIn({ order_id, attempt_id, escalation_id, review }: JsonObject) {
  const reviewed = isJsonObject(review) ? review.escalation_id : escalation_id;
  return { orders: textOf(order_id), attempts: textOf(attempt_id), reviews: textOf(reviewed) };
}

/** Finds the number of the order that a record is about, as people call it. Undefined if there is none. */
export async function orderNumbers(
  db: Queries,
  siteKeyHash: string,
  records: readonly JsonObject[],
): Promise<(record: JsonObject) => number | undefined> {
  const named = records.map(namedIn);
  const numbers = new Map<string, number>();
  const orders = [
    ...(await ordersAmong(
      db,
      siteKeyHash,
      "order_id",
      named.flatMap((ids) => ids.orders),
    )),
    ...(await ordersAmong(
      db,
      siteKeyHash,
      "attempt_id",
      named.flatMap((ids) => ids.attempts),
    )),
  ];
  const reviews = await reviewsAmong(
    db,
    siteKeyHash,
    named.flatMap((ids) => ids.reviews),
  );
  const decisions = reviews.map(({ decisionId }) => decisionId);
  const reviewed = await ordersAmong(db, siteKeyHash, "decision_id", decisions);
  for (const { orderId, attemptId, decisionId, number } of [...orders, ...reviewed]) {
    for (const id of [orderId, attemptId, decisionId]) numbers.set(id, number);
  }
  for (const { escalationId, decisionId } of reviews) {
    const number = numbers.get(decisionId);
    if (number !== undefined) numbers.set(escalationId, number);
  }
  return (record) => {
    const ids = Object.values(namedIn(record)).flat();
    return ids.flatMap((id) => numbers.get(id) ?? [])[0];
  };
}
