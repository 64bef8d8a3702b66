import type { Context } from "../../context.js";
import { agentActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import type { PlatformCaller } from "../../domain/checkouts/platform.js";
import { checkoutById } from "../../domain/checkouts/store.js";
import { BUYER } from "../../domain/decisions/decision.js";
import { decisionById } from "../../domain/decisions/store.js";
import { PAGE_MS_MAX } from "../../domain/payments/schedule.js";
import { paymentOfDecision } from "../../domain/payments/store.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { endReview, type ReviewEnd } from "../../purchase/commit-review.js";
import { actorId } from "./platform-actor.js";

/** What a checkout that is being completed waits for. */
export type Progress =
  /** The payment provider. */
  | { readonly kind: "paying"; readonly hosted: boolean }
  /** A reviewer, of what the buyer asked for on the page, or of what the platform did. */
  | { readonly kind: "reviewed"; readonly expiresAt: number; readonly ofBuyer: boolean }
  /** Its buyer, who confirms the payment to the card's bank, or pays on the provider's page until it closes. */
  | {
      readonly kind: "challenged";
      readonly challengeUrl: string;
      readonly closesAt: number | null;
    };

/** The progress of a completion; null if none is under way. */
export async function progressOf(db: Queries, checkout: Checkout): Promise<Progress | null> {
  const { siteKeyHash, status, decisionId } = checkout;
  if (status !== "completing" || decisionId === null) return null;
  const review = await reviewOfDecision(db, siteKeyHash, decisionId);
  if (review?.status === "pending") {
    const decision = await decisionById(db, decisionId);
    const ofBuyer = decision?.identity === BUYER;
    return { kind: "reviewed", expiresAt: review.expiresAt, ofBuyer };
  }
  const payment = await paymentOfDecision(db, decisionId);
  const { hosted = false, challengeUrl = null, requestedAt = 0 } = payment ?? {};
  if (challengeUrl === null) return { kind: "paying", hosted };
  return {
    kind: "challenged",
    challengeUrl,
    closesAt: hosted ? requestedAt + PAGE_MS_MAX : null,
  };
}

/** A checkout after its pending review has ended. */
interface Reopened {
  readonly checkout: Checkout;
  readonly records: readonly RecordDraft[];
}

/** Ends the pending review of a checkout, if it has one. The checkout is open again. */
export async function endPendingReview(
  context: Context,
  tx: Transaction,
  checkout: Checkout,
  end: ReviewEnd,
): Promise<Reopened> {
  const { status, siteKeyHash, checkoutId, decisionId } = checkout;
  const unchanged = { checkout, records: [] };
  if (status !== "completing" || decisionId === null) return unchanged;
  const review = await reviewOfDecision(tx, siteKeyHash, decisionId);
  if (review?.status !== "pending") return unchanged;
  const { records } = await endReview(context, tx, review, end, context.clock.now());
  const reopened = await checkoutById(tx, siteKeyHash, checkoutId);
  if (reopened === undefined) throw new Error("a checkout went away in its transaction");
  return { checkout: reopened, records };
}

/** A change or a cancellation by the platform leaves nothing that the reviewer could approve. */
export function invalidateReview(
  context: Context,
  tx: Transaction,
  checkout: Checkout,
  caller: PlatformCaller,
): Promise<Reopened> {
  const actor = agentActor(actorId(caller));
  const end = { status: "invalidated", actor, reasonCode: "checkout_changed" } as const;
  return endPendingReview(context, tx, checkout, end);
}
