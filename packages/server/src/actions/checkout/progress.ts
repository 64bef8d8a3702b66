import type { Context } from "../../context.js";
import { agentActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { PlatformCaller } from "../../domain/checkouts/platform.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { paymentOfDecision } from "../../domain/payments/store.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { endReview } from "../../purchase/commit-review.js";
import { actorId } from "./platform-actor.js";

/** What a checkout that is being completed waits for. */
export type Progress =
  /** The payment provider. */
  | { readonly kind: "paying" }
  /** A reviewer. */
  | { readonly kind: "reviewed"; readonly expiresAt: number }
  /** Its buyer, who confirms the payment to the card's bank. */
  | { readonly kind: "challenged"; readonly challengeUrl: string };

/** The progress of a completion; null if none is under way. */
export async function progressOf(db: Queries, checkout: Checkout): Promise<Progress | null> {
  const { siteKeyHash, status, decisionId } = checkout;
  if (status !== "completing" || decisionId === null) return null;
  const review = await reviewOfDecision(db, siteKeyHash, decisionId);
  if (review?.status === "pending") return { kind: "reviewed", expiresAt: review.expiresAt };
  const challengeUrl = (await paymentOfDecision(db, decisionId))?.challengeUrl ?? null;
  return challengeUrl === null ? { kind: "paying" } : { kind: "challenged", challengeUrl };
}

/**
 * Ends the pending review of a checkout, if it has one: a change or a cancellation leaves nothing that
 * the reviewer could approve.
 */
export async function invalidateReview(
  context: Context,
  tx: Transaction,
  checkout: Checkout,
  caller: PlatformCaller,
): Promise<{ readonly checkout: Checkout; readonly records: readonly RecordDraft[] }> {
  const { status, siteKeyHash, checkoutId, decisionId } = checkout;
  const unchanged = { checkout, records: [] };
  if (status !== "completing" || decisionId === null) return unchanged;
  const review = await reviewOfDecision(tx, siteKeyHash, decisionId);
  if (review?.status !== "pending") return unchanged;
  const actor = agentActor(actorId(caller));
  const end = { status: "invalidated", actor, reasonCode: "checkout_changed" } as const;
  const { records } = await endReview(context, tx, review, end, context.clock.now());
  const reopened = await checkoutById(tx, siteKeyHash, checkoutId);
  if (reopened === undefined) throw new Error("a checkout went away in its transaction");
  return { checkout: reopened, records };
}
