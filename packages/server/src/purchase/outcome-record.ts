import type { JsonObject } from "@gatehouse/protocol";
import type { RecordDraft } from "../domain/audit/drafts.js";
import type { Payment } from "../domain/payments/payment.js";

/** The record of an attempt and of its decision. */
export function outcomeRecord(
  { recordedRequest, amount, attemptId, parentRecordId, provider, reason }: Payment,
  result: { readonly payment: string; readonly outcome: string; readonly reasons: string[] },
  now: number,
  more: JsonObject = {},
): RecordDraft {
  const content = {
    ...recordedRequest,
    amount: { currency: amount.currency, minor: amount.minor },
    attempt_id: attemptId,
    parent_record_id: parentRecordId,
    processor: provider,
    payment: result.payment,
    decision: { outcome: result.outcome, reason_codes: result.reasons },
    ...(reason === null ? {} : { processor_reason: reason }),
    ...more,
  };
  return { type: "payment.outcome", occurredAt: now, content };
}
