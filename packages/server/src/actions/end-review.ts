import { type JsonObject, REASONS, type ReasonCode } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Actor, RecordDraft } from "../owners/audit/drafts.js";
import { newRecordId } from "../owners/audit/record-id.js";
import type { StoredAnswer } from "../owners/decisions/decision.js";
import { endEscalation } from "../owners/decisions/store.js";
import type { Review, ReviewStatus } from "../owners/reviews/review.js";
import { writeReviewEnd } from "../owners/reviews/store.js";
import { isoTime } from "../platform/clock.js";
import type { Transaction } from "../platform/db/database.js";

/** How a review ends, and by whom. */
export interface ReviewEnd {
  readonly status: Exclude<ReviewStatus, "pending">;
  readonly actor: Actor;
  readonly reasonCode?: string | undefined;
  /** For the owner's people only: it is in no record, and no agent sees it. */
  readonly note?: string | undefined;
  /** What the rules said when they were asked again. */
  readonly decision?: JsonObject | undefined;
  readonly rulesEvaluated?: number | undefined;
}

const REASONS_OF: Readonly<Record<Exclude<ReviewEnd["status"], "approved">, ReasonCode>> = {
  denied: "review_denied",
  expired: "review_expired",
  withdrawn: "review_withdrawn",
  invalidated: "review_invalidated",
};

function answerTo(
  { mandateId }: Review,
  { status, reasonCode, rulesEvaluated = 0 }: ReviewEnd,
  { recordId, now }: { recordId: string; now: number },
): StoredAnswer & { readonly reason: ReasonCode | null } {
  if (status === "approved") {
    const body = {
      ...{ outcome: "approved", mandate_id: mandateId, record_id: recordId },
      ...{ evaluated_at: isoTime(now), rules_evaluated: rulesEvaluated },
    };
    return { status: 200, body, reason: null };
  }
  const reason = REASONS_OF[status];
  const { message, status: http } = REASONS[reason];
  const code = reasonCode === undefined ? {} : { reason_code: reasonCode };
  const body = { outcome: "rejected", reason, message, mandate_id: mandateId, ...code };
  return { status: http, body, reason };
}

/**
 * Ends a review that is pending: its row, the decision it came from and the record, in the caller's
 * own transaction. From then on the mandate is answered with how it ended.
 */
export async function endReview(
  { ids }: Context,
  tx: Transaction,
  review: Review,
  end: ReviewEnd,
  now: number,
): Promise<{ review: Review; answer: StoredAnswer; records: RecordDraft[] }> {
  const recordId = newRecordId(ids, now);
  const { reason, ...answer } = answerTo(review, end, { recordId, now });
  const ended: Review = {
    ...review,
    ...{ status: end.status, decidedAt: now, decidedBy: end.actor.id },
    ...{ reasonCode: end.reasonCode ?? null, note: end.note ?? null, decidedRecordId: recordId },
  };
  if (!(await writeReviewEnd(tx, ended))) throw new Error("a review was ended twice");
  await endEscalation(tx, review, { approved: end.status === "approved", reason, answer });
  const told = {
    escalation_id: review.escalationId,
    outcome: end.status,
    ...(end.status === "approved" ? { approved_by: review.approvedBy } : {}),
    ...(end.reasonCode === undefined ? {} : { reason_code: end.reasonCode }),
  };
  const content = {
    actor: { ...end.actor },
    agent: { id: review.actorId, key_thumbprint: review.request.kid },
    mandate: { digest: review.request.digest, mandate_id: review.mandateId },
    ...(end.decision === undefined ? {} : { decision: end.decision }),
    parent_record_id: review.recordId,
    review: told,
    skill: review.request.skill,
  };
  const record: RecordDraft = { type: "review.decision", recordId, occurredAt: now, content };
  return { review: ended, answer, records: [record] };
}
