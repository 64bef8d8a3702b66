import type { Context } from "../../context.js";
import { agentActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { PlatformCaller } from "../../domain/checkouts/platform.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { endReview } from "../reviews/end-review.js";
import { actorId } from "./platform-actor.js";

/**
 * Ends the review a checkout waits for, where it does: whoever changes what was to be looked at, or
 * gives it up, has nothing approved of it.
 */
export async function invalidateReview(
  context: Context,
  tx: Transaction,
  checkout: Checkout,
  caller: PlatformCaller,
): Promise<{ readonly checkout: Checkout; readonly records: readonly RecordDraft[] }> {
  const { status, siteKeyHash, checkoutId, decisionId } = checkout;
  const nothing = { checkout, records: [] };
  if (status !== "completing" || decisionId === null) return nothing;
  const review = await reviewOfDecision(tx, siteKeyHash, decisionId);
  if (review?.status !== "pending") return nothing;
  const actor = agentActor(actorId(caller));
  const end = { status: "invalidated", actor, reasonCode: "checkout_changed" } as const;
  const { records } = await endReview(context, tx, review, end, context.clock.now());
  const reopened = await checkoutById(tx, siteKeyHash, checkoutId);
  if (reopened === undefined) throw new Error("a checkout went away in its transaction");
  return { checkout: reopened, records };
}
