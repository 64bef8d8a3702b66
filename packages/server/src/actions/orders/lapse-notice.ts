import { formatAmount, type JsonObject } from "@gatehouse/protocol";
import type { Order } from "../../domain/orders/order.js";
import { isoTime } from "../../infra/clock.js";

export const AUTHORIZATION_LAPSES = "authorization.lapses";

/** An order whose money is held ready, and will not be for long. */
export interface LapsingOrder {
  readonly domain: string;
  readonly order: Order;
  readonly lapsesAt: number;
  readonly now: number;
}

/** The body of the webhook. */
export function lapseEvent({ domain, order, lapsesAt, now }: LapsingOrder, messageId: string) {
  const { siteKeyHash, orderId, attemptId, amount } = order;
  return {
    type: AUTHORIZATION_LAPSES,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    order: {
      order_id: orderId,
      attempt_id: attemptId,
      amount: { minor: amount.minor, currency: amount.currency },
      lapses_at: isoTime(lapsesAt),
    },
  } satisfies JsonObject;
}

/** The mail. */
export function lapseMail({ domain, order, lapsesAt }: LapsingOrder) {
  const { orderId, amount } = order;
  const sum = `${formatAmount(amount)} ${amount.currency}`;
  const lines = [
    `An order of ${domain} is authorized and not yet taken.`,
    "",
    `Order:   ${orderId}`,
    `Amount:  ${sum}`,
    `Lapses:  ${isoTime(lapsesAt)}`,
    "",
    "Take the money at your payment processor before then, or give it up there. Gatehouse never",
    "takes money by itself.",
  ];
  return { subject: `${domain}: ${sum} lapses soon`, text: `${lines.join("\n")}\n` };
}
