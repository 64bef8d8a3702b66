import type { Context } from "../../context.js";
import type { Review } from "../../domain/reviews/review.js";

/** What an agent is told where no rule, but the policy's default, asks for a person. */
const DEFAULT_RULE = "default";

/** Where the token of a review is kept; sealed, it opens nowhere else. */
export const reviewTokenPlace = (escalationId: string) => `review ${escalationId}`;

interface Escalated
  extends Pick<
    Review,
    | ("siteKeyHash" | "decisionId" | "actorId" | "identity" | "pooled")
    | ("mandateId" | "request" | "recordId")
  > {
  /** The rule that asked for a person; null where the policy's default did. */
  readonly rule: string | null;
  readonly reviewMs: number;
  readonly approvalsNeeded: number;
  /** How to pay, where it is to be paid. */
  readonly token: string | undefined;
  readonly now: number;
}

/** What is put before a person, whatever door it came by. */
export function pendingReview({ ids, secrets }: Context, asked: Escalated): Review {
  const { rule, reviewMs, token, now, ...known } = asked;
  const escalationId = ids.id("esc");
  return {
    ...known,
    escalationId,
    status: "pending",
    ruleId: rule ?? DEFAULT_RULE,
    sealedToken: token === undefined ? null : secrets.seal(reviewTokenPlace(escalationId), token),
    approvedBy: [],
    createdAt: now,
    expiresAt: now + reviewMs,
    decidedAt: null,
    decidedBy: null,
    reasonCode: null,
    note: null,
    decidedRecordId: null,
  };
}
