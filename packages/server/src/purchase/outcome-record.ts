import type { JsonObject, ReasonCode } from "@gatehouse/protocol";
import type { RecordDraft } from "../domain/audit/drafts.js";
import type { Payment } from "../domain/payments/payment.js";
import type { SettlementAnswer } from "../payments/provider.js";

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

/** Failures that say nothing about the card: the shop's key failed, or its owner cancelled. */
const NOT_THE_CARD: readonly string[] = ["processor_refused_key", "canceled", "released"];

/** The message to an agent if the shop system did not reserve the goods, so that the provider was not asked. */
const NOT_RESERVED: Readonly<Record<string, ReasonCode>> = {
  shop_out_of_stock: "out_of_stock",
  shop_price_changed: "cart_mismatch",
  shop_closed: "skill_not_live",
  // Nobody was asked for money, so the same may be tried again.
  shop_unanswered: "unavailable",
};

export const isNotReserved = (answer: SettlementAnswer) =>
  answer.outcome === "declined" && answer.reason in NOT_RESERVED;

/** Whether an answer counts against the card and the caller. */
export const isDecline = (answer: SettlementAnswer) =>
  answer.outcome === "declined" && !NOT_THE_CARD.includes(answer.reason) && !isNotReserved(answer);

/** Why the decision of a payment that was not authorized is rejected. */
export function rejectionOf({ reason }: Pick<Payment, "reason">): ReasonCode {
  return NOT_RESERVED[reason ?? ""] ?? "payment_declined";
}
