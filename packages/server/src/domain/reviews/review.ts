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

/** Why a reviewer says no; the agent is told the word, never the note. */
export const DENIAL_CODES = [
  ...(["amount_too_high", "unknown_agent", "suspected_fraud"] as const),
  ...(["out_of_stock", "policy_change", "other"] as const),
] as const;

/** Where the token of a review is kept; sealed, it opens nowhere else. */
export const reviewTokenPlace = (escalationId: string) => `review ${escalationId}`;

/** What was asked for, as it was signed. */
export interface ReviewedRequest {
  readonly skill: string;
  readonly protocol: string;
  readonly amount: { readonly minor: number; readonly currency: string } | null;
  /** The key that signed it; null where a platform completes a checkout. */
  readonly kid: string | null;
  readonly digest: string;
  /** The checkout it completes, and where its buyer comes back to. */
  readonly checkout?: ReviewedCheckout | undefined;
  /** Through whom the agent signed to pay, where it is to pay. */
  readonly handler?: string | undefined;
  /** What is bought, where something is: id, title, quantity and price of each. */
  readonly items?: readonly ReviewedItem[] | undefined;
}

interface ReviewedCheckout {
  readonly checkoutId: string;
  /** Null where an agent pays, who has nobody to send to a bank. */
  readonly returnUrl: string | null;
}

interface ReviewedItem {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_minor: number;
}

/** Something the rules gave to a person to decide. */
export interface Review {
  readonly escalationId: string;
  readonly siteKeyHash: string;
  readonly decisionId: string;
  /** The caller, as people see it. */
  readonly actorId: string;
  /** The identity it counts for, and whether it counts for the pool of platforms not admitted. */
  readonly identity: string;
  readonly pooled: boolean;
  readonly mandateId: string;
  readonly status: ReviewStatus;
  readonly ruleId: string;
  readonly request: ReviewedRequest;
  /** How to pay, kept while nobody has decided; erased with every end. */
  readonly sealedToken: string | null;
  /** The record of the decision that escalated it. */
  readonly recordId: string;
  /** How many people must say yes, and who has. */
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

/** Names the change of any review of a site, for those who follow changes. */
export const REVIEW_TOPIC = "reviews";

/** A review that nobody has decided yet. */
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
