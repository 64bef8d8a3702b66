export const REVIEW_STATUSES = [
  "pending",
  "paying",
  "approved",
  "payment_failed",
  "denied",
  "expired",
  "withdrawn",
  "invalidated",
] as const as readonly ReviewStatus[];

export type ReviewStatus =
  | ("pending" | "paying" | "approved" | "payment_failed" | "denied")
  | ("expired" | "withdrawn" | "invalidated");

/** Why a reviewer denies a request. The agent gets the code, never the note. */
export const DENIAL_CODES = [
  "amount_too_high",
  "unknown_agent",
  "suspected_fraud",
  "out_of_stock",
  "policy_change",
  "other",
] as const;

/** Names the sealed token of a review. A sealed value opens only under its own name. */
export const reviewTokenPlace = (escalationId: string) => `review ${escalationId}`;

/** The request as it was signed. */
interface ReviewedRequest {
  readonly skill: string;
  readonly protocol: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  /** The key that signed it; null if a platform completes a checkout. */
  readonly kid: string | null;
  readonly digest: string;
  /** The checkout that it completes. */
  readonly checkout?: ReviewedCheckout | undefined;
  /** Whether the buyer pays on the provider's own page once it is approved. */
  readonly hosted?: true | undefined;
  /** The payment handler that the agent signed; undefined if it does not pay. */
  readonly handler?: string | undefined;
  /** What is bought; undefined if nothing is. */
  readonly items?: readonly ReviewedItem[] | undefined;
  /** The key of the question that it asks, for the answer that is published when it is approved. */
  readonly questionKey?: string | undefined;
}

interface ReviewedCheckout {
  readonly checkoutId: string;
  /** Where the buyer returns from a bank; null for an agent, which has no buyer to send there. */
  readonly returnUrl: string | null;
}

interface ReviewedItem {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_minor: number;
}

/** A request that a person must decide. */
export interface Review {
  readonly escalationId: string;
  readonly siteKeyHash: string;
  readonly decisionId: string;
  /** The caller, as shown to people. */
  readonly actorId: string;
  /** The identity that its limits count, and whether they count the pool of platforms not admitted. */
  readonly identity: string;
  readonly pooled: boolean;
  readonly mandateId: string;
  readonly status: ReviewStatus;
  readonly ruleId: string;
  readonly request: ReviewedRequest;
  /** How to pay. Erased when the review ends. */
  readonly sealedToken: string | null;
  /** The record of the decision that escalated it. */
  readonly recordId: string;
  /** How many people must approve, and who has. */
  readonly approvalsNeeded: number;
  readonly approvedBy: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly reasonCode: string | null;
  readonly note: string | null;
  readonly decidedRecordId: string | null;
}

/** The topic for changes of reviews. */
export const REVIEW_TOPIC = "reviews";

/** A pending review. */
export function newReview(
  review: Omit<
    Review,
    "status" | "approvedBy" | "decidedAt" | "decidedBy" | "reasonCode" | "note" | "decidedRecordId"
  >,
): Review {
  return {
    ...review,
    status: "pending",
    approvedBy: [],
    decidedAt: null,
    decidedBy: null,
    reasonCode: null,
    note: null,
    decidedRecordId: null,
  };
}
