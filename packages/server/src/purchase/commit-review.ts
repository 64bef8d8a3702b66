import type { JsonObject, ReasonCode } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Actor, RecordDraft } from "../domain/audit/drafts.js";
import { problemOf } from "../domain/checkouts/problem.js";
import { isUnderWay, reopenCheckout } from "../domain/checkouts/store.js";
import { approvedAnswer, rejectedAnswer } from "../domain/decisions/answers.js";
import type { Decision, StoredAnswer } from "../domain/decisions/decision.js";
import { decisionById, moveDecision } from "../domain/decisions/store.js";
import type { PaymentCaller } from "../domain/declines/caller.js";
import { type Payment, tokenPlace } from "../domain/payments/payment.js";
import { publishedAnswer } from "../domain/questions/store.js";
import { type Review, type ReviewStatus, reviewTokenPlace } from "../domain/reviews/review.js";
import {
  reviewById,
  writeApprovals,
  writeReopened,
  writeReviewEnd,
} from "../domain/reviews/store.js";
import { siteByHash } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import { newRecordId } from "../infra/ids.js";
import { requestPayment } from "./commit.js";

/** How a pending review ends, and by whom. */
export interface ReviewEnd {
  /** `paying`: approved, and the payment is still to be settled. */
  readonly status: Exclude<ReviewStatus, "pending" | "payment_failed">;
  readonly actor: Actor;
  readonly reasonCode?: string | undefined;
  /** Only people of the site see it. It is in no record. */
  readonly note?: string | undefined;
  /** The decision when the rules were evaluated again. */
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

/** The answer to the mandate from now on, or from its payment on. */
async function reviewAnswer(
  tx: Transaction,
  { siteKeyHash, mandateId, request }: Review,
  { status, reasonCode, rulesEvaluated = 0 }: ReviewEnd,
  { recordId, now }: { readonly recordId: string; readonly now: number },
): Promise<{ readonly answer: StoredAnswer; readonly reason: ReasonCode | null }> {
  if (status === "approved" || status === "paying") {
    const { skill, questionKey } = request;
    const published =
      questionKey && (await publishedAnswer(tx, siteKeyHash, { skill, questionKey }));
    const answer = approvedAnswer({ mandateId, recordId, rulesEvaluated, published, now });
    return { answer, reason: null };
  }
  const reason = REASONS_OF[status];
  return { answer: rejectedAnswer(reason, mandateId, { reasonCode }), reason };
}

/** Who asked for what: members of the records of a review, by mandate or by checkout. */
function recordedRequestOf({ actorId: id, mandateId, request }: Review): JsonObject {
  const { kid, digest, checkout } = request;
  const recordedCheckout = checkout && { checkout: { checkout_id: checkout.checkoutId, digest } };
  if (kid === null) return { agent: { id }, ...recordedCheckout };
  return {
    agent: { id, key_thumbprint: kid },
    mandate: { digest, mandate_id: mandateId },
  };
}

function reviewRecord(review: Review, end: ReviewEnd): JsonObject {
  const approved = end.status === "approved" || end.status === "paying";
  return {
    actor: { ...end.actor },
    ...recordedRequestOf(review),
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

/** A declined payment counts against the caller that asked, although a person approved it. */
const callerOf = ({ identity, pooled }: Review): PaymentCaller => ({
  identity,
  admitted: !pooled,
  source: null,
  buyer: null,
});

/** Requests the payment of an approved review, with the token that was stored for it. */
async function requestApprovedPayment(
  context: Context,
  tx: Transaction,
  review: Review,
  { recordId, answer, now }: { recordId: string; answer: StoredAnswer; now: number },
): Promise<Payment> {
  const { escalationId, siteKeyHash, decisionId, sealedToken, request } = review;
  const { amount, items, hosted = false } = request;
  const provider = (await siteByHash(tx, siteKeyHash))?.provider?.kind;
  const isPayable = hosted !== (sealedToken !== null);
  if (!isPayable || amount === null || items === undefined || provider === undefined) {
    throw new Error("a review is to be paid without saying what, or how");
  }
  const place = reviewTokenPlace(escalationId);
  const token = sealedToken === null ? null : context.secrets.open(place, sealedToken);
  const { protocol, skill, checkout = null } = request;
  const recordedRequest = { ...recordedRequestOf(review), protocol, skill };
  const intent = {
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
  return requestPayment(context, tx, { ...intent, recordId, answer, recordedRequest }, now);
}

/** A review that has ended or is being paid, and what the caller does next. */
export interface EndedReview {
  readonly review: Review;
  readonly answer: StoredAnswer;
  readonly records: readonly RecordDraft[];
  /** Settle it after the commit. */
  readonly payment?: Payment | undefined;
}

/**
 * Ends a pending review in the caller's transaction: the review, its decision and the record. The mandate gets
 * the new answer from then on, or after its payment if it is still to be paid.
 */
export async function endReview(
  context: Context,
  tx: Transaction,
  review: Review,
  end: ReviewEnd,
  now: number,
): Promise<EndedReview> {
  const recordId = newRecordId(context.ids, now);
  const { reason, answer } = await reviewAnswer(tx, review, end, { recordId, now });
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
    ? await requestApprovedPayment(context, tx, review, { recordId, answer, now })
    : undefined;
  const content = reviewRecord(review, end);
  const record: RecordDraft = { type: "review.decision", recordId, occurredAt: now, content };
  return { review: ended, answer: answerNow, records: [record], payment };
}

/**
 * Opens a review again whose payment was not requested, because the shop system did not answer. The last approval no
 * longer counts. Returns false if no review waits for the payment, or its checkout no longer does.
 */
export async function reopenReview(
  { secrets }: Pick<Context, "secrets">,
  tx: Transaction,
  { attemptId, siteKeyHash, escalationId, checkoutId, sealedToken }: Payment,
  {
    decision,
    reason,
    now,
  }: { readonly decision: Decision | undefined; readonly reason: ReasonCode; readonly now: number },
): Promise<boolean> {
  // Otherwise the payment provider may have been asked.
  if (reason !== "unavailable" || decision === undefined || escalationId === null) return false;
  const { decisionId, answer } = decision;
  const review = await reviewById(tx, siteKeyHash, escalationId);
  const isWanted = checkoutId === null || (await isUnderWay(tx, { checkoutId, decisionId }));
  if (review === undefined || !isWanted) return false;
  const token = sealedToken && secrets.open(tokenPlace(attemptId), sealedToken);
  const reopened = await writeReopened(tx, {
    ...review,
    status: "pending",
    sealedToken: token && secrets.seal(reviewTokenPlace(escalationId), token),
    approvedBy: review.approvedBy.filter((id) => id !== review.decidedBy),
    decidedAt: null,
    decidedBy: null,
    note: null,
    decidedRecordId: null,
  });
  if (reopened)
    await moveDecision(tx, decision, { outcome: "escalated", reason: null, answer }, now);
  return reopened;
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
