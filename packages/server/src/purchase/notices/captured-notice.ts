import type { JsonObject, Money } from "@gatehouse/protocol";
import type { Payment } from "../../domain/payments/payment.js";
import { isoTime } from "../../infra/clock.js";
import { factLines, moneyWords } from "./notice-words.js";

export const CAPTURED_WITHOUT_ORDER = "payment.captured_without_order";

/** Money that the owner captured at the provider although there is no order for it. */
export interface CapturedPayment {
  readonly domain: string;
  readonly payment: Payment;
  /** Null if the provider does not say how much. */
  readonly captured: Money | null;
  /** Why there is no order. */
  readonly reason: string;
  readonly now: number;
}

export function capturedEvent(
  { domain, payment, captured, reason, now }: CapturedPayment,
  messageId: string,
): JsonObject {
  const { siteKeyHash, attemptId, provider, reference, amount } = payment;
  return {
    type: CAPTURED_WITHOUT_ORDER,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    payment: {
      attempt_id: attemptId,
      processor: provider,
      reference,
      reason,
      amount: { minor: amount.minor, currency: amount.currency },
      captured: captured && { minor: captured.minor, currency: captured.currency },
    },
  };
}

export function capturedMail({ domain, payment, captured, reason }: CapturedPayment) {
  const sum = moneyWords(captured ?? payment.amount);
  const lines = [
    `A payment at ${domain} was captured, but the purchase was declined. There is no order for it.`,
    "",
    ...factLines([
      ["Captured", sum],
      ["Payment", payment.reference ?? "unknown"],
      ["Attempt", payment.attemptId],
      ["Declined", reason],
    ]),
    "",
    "Gatehouse tried to void the authorization, but it was already captured. Refund it at your payment provider, or deliver the items. Gatehouse never moves money by itself.",
  ];
  const subject = `${domain}: ${sum} captured without an order`;
  return { subject, text: `${lines.join("\n")}\n`, amount: sum };
}
