import type { JsonObject, ReasonCode } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Actor, RecordDraft } from "../domain/audit/drafts.js";
import { problemOf } from "../domain/checkouts/problem.js";
import { reopenCheckout } from "../domain/checkouts/store.js";
import { approvedAnswer, rejectedAnswer } from "../domain/decisions/answers.js";
import type { StoredAnswer } from "../domain/decisions/decision.js";
import { decisionById, moveDecision } from "../domain/decisions/store.js";
import type { PaymentCaller } from "../domain/declines/caller.js";
import type { Payment } from "../domain/payments/payment.js";
import { type Review, type ReviewStatus, reviewTokenPlace } from "../domain/reviews/review.js";
import { writeApprovals, writeReviewEnd } from "../domain/reviews/store.js";
import { siteByHash } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import { newRecordId } from "../infra/ids.js";
import { requestPayment } from "./commit.js";

/** What becomes of a review that is pending, and by whom. */
export interface ReviewEnd {
  /** `paying`: approved, and to be paid. */
  readonly status: Exclude<ReviewStatus, "pending" | "payment_failed">;
  readonly actor: Actor;
  readonly reasonCode?: string | undefined;
  /** For the owner's people only: it is in no record, and no agent sees it. */
  readonly note?: string | undefined;
  /** What the rules said when they were asked again. */
  readonly decision?: JsonObject | undefined;
  readonly rulesEvaluated?: number | undefined;
}

const REASONS_OF: Readonly<
  Record<Exclude<ReviewEnd["status"], "approved" | "paying">, ReasonCode>
> = {
  denied: "review_denied",
  expired: "review_expired",
  withdrawn: "review_withdrawn",
  invalidated: "review_invalidated",
};

/** How the mandate is answered from then on; of one that is to be paid, once it is. */
function answerTo(
  { mandateId }: Review,
  { status, reasonCode, rulesEvaluated = 0 }: ReviewEnd,
  { recordId, now }: { readonly recordId: string; readonly now: number },
): { readonly answer: StoredAnswer; readonly reason: ReasonCode | null } {
  if (status === "approved" || status === "paying") {
    const answer = approvedAnswer({ mandateId, recordId, rulesEvaluated, now });
    return { answer, reason: null };
  }
  const reason = REASONS_OF[status];
  return { answer: rejectedAnswer(reason, mandateId, { reasonCode }), reason };
}

/** Who asked for what, as records say it: by a mandate, or by completing a checkout. */
function aboutReview({ actorId: id, mandateId, request }: Review): JsonObject {
  const { kid, digest, checkout } = request;
  const of = checkout && { checkout: { checkout_id: checkout.checkoutId, digest } };
  if (kid === null) return { agent: { id }, ...of };
  return {
    agent: { id, key_thumbprint: kid },
    mandate: { digest, mandate_id: mandateId },
  };
}

/** What a record says of it. */
function reviewRecord(review: Review, end: ReviewEnd): JsonObject {
  const approved = end.status === "approved" || end.status === "paying";
  return {
    actor: { ...end.actor },
    ...aboutReview(review),
    ...(end.decision === undefined ? {} : { decision: end.decision }),
    parent_record_id: review.recordId,
    ...(end.status === "paying" ? { payment: "requested" } : {}),
    review: {
      escalation_id: review.escalationId,
      outcome: approved ? "approved" : end.status,
      ...(approved ? { approved_by: review.approvedBy } : {}),
      ...(end.reasonCode === undefined ? {} : { reason_code: end.reasonCode }),
    },
    skill: review.request.skill,
  };
}

/** The caller that a declined payment counts for: the one who asked, although a person approved. */
const callerOf = ({ identity, pooled }: Review): PaymentCaller => ({
  identity,
  admitted: !pooled,
  source: null,
  buyer: null,
});

/** Has what a person approved paid, with the token that was kept for this. */
async function requestItsPayment(
  context: Context,
  tx: Transaction,
  review: Review,
  { recordId, answer, now }: { recordId: string; answer: StoredAnswer; now: number },
): Promise<Payment> {
  const { escalationId, siteKeyHash, decisionId, sealedToken, request } = review;
  const { amount, items } = request;
  const provider = (await siteByHash(tx, siteKeyHash))?.provider?.kind;
  if (!sealedToken || amount === null || items === undefined || provider === undefined) {
    throw new Error("a review is to be paid without saying what, or how");
  }
  const token = context.secrets.open(reviewTokenPlace(escalationId), sealedToken);
  const { protocol, skill, checkout = null } = request;
  const about = { ...aboutReview(review), protocol, skill };
  const asked = {
    checkout,
    siteKeyHash,
    decisionId,
    escalationId,
    provider,
    amount,
    items,
    token,
    caller: callerOf(review),
  };
  return requestPayment(context, tx, { ...asked, recordId, answer, about }, now);
}

/** A review that is over, or on its way there, and what has to be done about it. */
export interface EndedReview {
  readonly review: Review;
  readonly answer: StoredAnswer;
  readonly records: readonly RecordDraft[];
  /** To be asked for once this is committed. */
  readonly payment?: Payment | undefined;
}

/**
 * Ends a review that is pending: its row, the decision it came from and the record, in the caller's
 * own transaction. From then on the mandate is answered with how it ended; while it is being paid
 * for, as before.
 */
export async function endReview(
  context: Context,
  tx: Transaction,
  review: Review,
  end: ReviewEnd,
  now: number,
): Promise<EndedReview> {
  const recordId = newRecordId(context.ids, now);
  const { reason, answer } = answerTo(review, end, { recordId, now });
  const ended: Review = {
    ...review,
    status: end.status,
    sealedToken: null,
    decidedAt: now,
    decidedBy: end.actor.id,
    reasonCode: end.reasonCode ?? null,
    note: end.note ?? null,
    decidedRecordId: recordId,
  };
  if (!(await writeReviewEnd(tx, ended))) throw new Error("a review was ended twice");
  const decision = await decisionById(tx, review.decisionId);
  if (decision === undefined) throw new Error("a review without its decision");
  const paying = end.status === "paying";
  const outcome = paying ? "paying" : end.status === "approved" ? "approved" : "rejected";
  const answerNow = paying ? decision.answer : answer;
  await moveDecision(tx, decision, { outcome, reason, answer: answerNow }, now);
  const { checkoutId } = review.request.checkout ?? {};
  if (checkoutId !== undefined && reason !== null) {
    await reopenCheckout(tx, { checkoutId, decisionId: review.decisionId }, problemOf(reason));
  }
  const payment = paying
    ? await requestItsPayment(context, tx, review, { recordId, answer, now })
    : undefined;
  const content = reviewRecord(review, end);
  const record: RecordDraft = { type: "review.decision", recordId, occurredAt: now, content };
  return { review: ended, answer: answerNow, records: [record], payment };
}

/** Writes a reviewer's approval. It ends the review, unless more reviewers have to approve. */
export async function commitApproval(
  context: Context,
  tx: Transaction,
  approved: Review,
  end: ReviewEnd,
  now: number,
): Promise<Pick<EndedReview, "review" | "records" | "payment">> {
  const isApproval = end.status === "approved" || end.status === "paying";
  if (isApproval && approved.approvedBy.length < approved.approvalsNeeded) {
    await writeApprovals(tx, approved);
    return { review: approved, records: [] };
  }
  return endReview(context, tx, approved, end, now);
}
