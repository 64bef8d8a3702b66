import type { Checkout } from "../../domain/checkouts/checkout.js";
import { reviewOfDecision } from "../../domain/reviews/store.js";
import type { Queries } from "../../infra/db/database.js";
import { paymentState } from "../../purchase/payment-state.js";

/** What a checkout that is being completed waits for. */
export type Progress =
  /** The processor. */
  | { readonly kind: "paying" }
  /** A person of the owner's. */
  | { readonly kind: "reviewed"; readonly expiresAt: number }
  /** Its buyer, who confirms it to the card's bank. */
  | { readonly kind: "challenged"; readonly challengeUrl: string };

/** How far a completion is; null where none is under way. */
export async function progressOf(db: Queries, checkout: Checkout): Promise<Progress | null> {
  const { siteKeyHash, status, decisionId } = checkout;
  if (status !== "completing" || decisionId === null) return null;
  const review = await reviewOfDecision(db, siteKeyHash, decisionId);
  if (review?.status === "pending") return { kind: "reviewed", expiresAt: review.expiresAt };
  const challengeUrl = (await paymentState(db, decisionId))?.challengeUrl ?? null;
  return challengeUrl === null ? { kind: "paying" } : { kind: "challenged", challengeUrl };
}
