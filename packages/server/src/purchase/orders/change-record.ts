import type { JsonObject } from "@gatehouse/protocol";
import type { Actor, RecordDraft } from "../../domain/audit/drafts.js";
import type { PaymentChange } from "../../domain/payments/changes/change.js";
import type { Payment } from "../../domain/payments/payment.js";

/** The record of a capture or refund: that it was requested, and its outcome. Without the owner's words. */
export function changeRecord(
  { provider }: Pick<Payment, "provider">,
  { changeId, attemptId, orderId, kind, status, failure, amount }: PaymentChange,
  actor: Actor,
  now: number,
): RecordDraft {
  const change: JsonObject = {
    id: changeId,
    status,
    amount: { currency: amount.currency, minor: amount.minor },
    ...(failure === null ? {} : { reason: failure }),
  };
  const content: JsonObject = {
    actor: { ...actor },
    attempt_id: attemptId,
    order_id: orderId,
    processor: provider,
    [kind]: change,
  };
  return { type: `order.${kind}`, occurredAt: now, content };
}
