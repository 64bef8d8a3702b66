import { formatAmount, type JsonObject, type Money } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Adjustment, OrderEvent } from "../../domain/orders/adjustments/adjustment.js";
import { isoTime } from "../../infra/clock.js";
import { plainLine } from "../../infra/mail/text.js";
import type { WholeOrder } from "./whole-order.js";

/** What can happen to an order that somebody is told of. */
export type OrderTopic =
  | ("order.created" | "order.shipped" | "order.fulfillment" | "order.cancelled")
  | ("order.adjusted" | "order.payment");

/** What has just become of an order. */
export interface OrderNews {
  readonly topic: OrderTopic;
  readonly now: number;
  /** A dispute that has just begun: a person has to answer it. */
  readonly disputed?: Adjustment | undefined;
  /** What has just been said of goods on their way. */
  readonly shipment?: OrderEvent;
}

const sumText = (amount: Money) => `${formatAmount(amount)} ${amount.currency}`;
const timeOf = (at: number | null) => (at === null ? null : isoTime(at));

/** The body of the webhook to the owner: all that is so now. Never who bought it, or where it goes. */
export function orderEvent(
  { baseUrl }: Pick<Config, "baseUrl">,
  { order, lines, events, adjustments }: WholeOrder,
  told: { readonly topic: OrderTopic; readonly domain: string; readonly now: number },
  messageId: string,
): JsonObject {
  const { orderId, siteKeyHash, amount } = order;
  return {
    type: told.topic,
    message_id: messageId,
    occurred_at: isoTime(told.now),
    site_key_hash: siteKeyHash,
    domain: told.domain,
    order: {
      order_id: orderId,
      revision: order.revision,
      status: order.status,
      agent_id: order.actorId,
      protocol: order.protocol,
      checkout_id: order.checkoutId,
      amount: { minor: amount.minor, currency: amount.currency },
      payment: order.payment,
      lapses_at: timeOf(order.expiresAt),
      captured_minor: order.capturedMinor,
      items: lines.map(({ lineId, id, title, quantity, unit_minor, total, fulfilled }) => ({
        line_id: lineId,
        id,
        title: plainLine(title),
        quantity,
        unit_minor,
        total,
        fulfilled,
      })),
      events: events.map(({ eventId, type, occurredAt }) => ({
        event_id: eventId,
        type,
        occurred_at: isoTime(occurredAt),
      })),
      adjustments: adjustments.map(({ adjustmentId, kind, status, amountMinor, occurredAt }) => ({
        adjustment_id: adjustmentId,
        kind,
        status,
        amount_minor: amountMinor,
        occurred_at: isoTime(occurredAt),
      })),
      order_url: `${baseUrl}/v1/admin/sites/${siteKeyHash}/orders/${orderId}`,
    },
  };
}

/** Whom an owner's mail is about, and whether no money is behind it. */
export interface MailAbout {
  readonly domain: string;
  readonly rehearsed: boolean;
}

const hint = (words: string, ...command: readonly string[]) => [
  words,
  "",
  `  gatehouse order ${command.join(" ")}`,
];
const REHEARSED = ["This is a rehearsal: no money is behind it.", ""];
const subjectOf = ({ domain, rehearsed }: MailAbout, words: string) =>
  `${rehearsed ? "rehearsal: " : ""}${domain}: ${words}`;

/** The mail to the owner about a sale. */
export function soldMail({ order, lines }: WholeOrder, about: MailAbout) {
  const { domain, rehearsed } = about;
  const { orderId, amount, expiresAt: lapsesAt } = order;
  const text = [
    ...(rehearsed ? REHEARSED : []),
    `Something was bought at ${domain}. The payment is authorized, and not yet taken.`,
    "",
    `Order:   ${orderId}`,
    ...lines.map(({ quantity, title, id }) => `         ${quantity} × ${plainLine(title)} (${id})`),
    `Amount:  ${sumText(amount)}`,
    ...(lapsesAt === null ? [] : [`Lapses:  ${isoTime(lapsesAt)}`]),
    "",
    "Take the money at your payment processor.",
    "",
    ...hint("To see who bought it, and where to send it:", "show", domain, orderId),
    "",
    ...hint("Once it is sent, say so, and the buyer is told:", "ship", domain, orderId),
  ];
  const subject = subjectOf(about, `an order of ${sumText(amount)}`);
  return { subject, text: `${text.join("\n")}\n` };
}

/** The mail to the owner about a bank that wants money back. */
export function disputedMail({ order }: WholeOrder, dispute: Adjustment, about: MailAbout) {
  const { domain, rehearsed } = about;
  const { orderId, amount, attemptId } = order;
  const sum = sumText({ minor: dispute.amountMinor ?? amount.minor, currency: amount.currency });
  const text = [
    ...(rehearsed ? REHEARSED : []),
    `A buyer's bank disputes a payment for an order of ${domain}.`,
    "",
    `Order:    ${orderId}`,
    `Amount:   ${sum}`,
    `Dispute:  ${dispute.adjustmentId}`,
    `Attempt:  ${attemptId}`,
    "",
    "Answer it at your payment processor, in the time it gives you there. Gatehouse only tells of it.",
    "",
    ...hint("To see the order:", "show", domain, orderId),
  ];
  return { subject: subjectOf(about, `${sum} is disputed`), text: `${text.join("\n")}\n` };
}
