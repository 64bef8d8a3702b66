import type { Context } from "../../context.js";
import type { Principal } from "../../domain/access/principal.js";
import { actorDraft, principalActor } from "../../domain/audit/drafts.js";
import type { Review } from "../../domain/reviews/review.js";
import { reviewsOfDecisions } from "../../domain/reviews/store.js";
import { type ShownOrder, showOrder } from "../orders/read-orders.js";
import { decisionsOf } from "./erase-purchase.js";
import { type StoredBuyer, storedBuyer } from "./find-buyer.js";

interface ExportedBuyer extends StoredBuyer {
  readonly orders: readonly ShownOrder[];
  readonly reviews: readonly Review[];
}

/** Everything that is stored about a buyer. The log records that it was exported, and how much. */
export async function exportBuyer(
  context: Context,
  siteKeyHash: string,
  email: string,
  reader: Principal,
): Promise<ExportedBuyer> {
  const { audit, clock, db } = context;
  const stored = await storedBuyer(context, siteKeyHash, email);
  const orders: ShownOrder[] = [];
  const reviews: Review[] = [];
  for (const checkout of stored.checkouts) {
    const { orderId } = checkout;
    const order = orderId && (await showOrder(context, { siteKeyHash, orderId }, reader));
    if (order) orders.push(order);
    const decisions = await decisionsOf(db, checkout);
    reviews.push(...(await reviewsOfDecisions(db, siteKeyHash, decisions)));
  }
  await audit.commit(siteKeyHash, async () => {
    const change = {
      kind: "buyer_exported",
      buyer: stored.buyerMac,
      orders: orders.length,
      checkouts: stored.checkouts.length - orders.length,
      carts: stored.carts.length,
    };
    const actor = principalActor(reader);
    return { records: [actorDraft("site.changed", actor, clock.now(), { change })], answer: null };
  });
  return { ...stored, orders, reviews };
}
