import type { JsonObject } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import type { Adjustment, OrderEvent } from "../../domain/orders/adjustments/adjustment.js";
import { orderLabel } from "../../domain/orders/order.js";
import { isoTime } from "../../infra/clock.js";
import { plainLine } from "../../infra/mail/text.js";
import type { NoticeWords } from "../notices/chat-message.js";
import { factLines, localTime, moneyWords, orderPage } from "../notices/notice-words.js";
import type { WholeOrder } from "./whole-order.js";

/** The events of an order that platform, buyer or owner are notified of. */
export type OrderTopic =
  | ("order.created" | "order.shipped" | "order.fulfillment" | "order.cancelled")
  | ("order.adjusted" | "order.payment");

export interface OrderUpdate {
  readonly topic: OrderTopic;
  readonly now: number;
  /** A new dispute, which a person must respond to. */
  readonly disputed?: Adjustment | undefined;
  readonly shipment?: OrderEvent;
  /** The cancellation, refund or dispute that is new or has changed. Others of the order may be later. */
  readonly adjusted?: Adjustment | undefined;
  /** Refunds that the provider has made now. */
  readonly refunded?: readonly MadeRefund[];
}

export interface MadeRefund extends Pick<Adjustment, "amountMinor" | "description"> {
  /** Whether the shop wrote the description. If not, it is the reason that the provider gives. */
  readonly isFromShop: boolean;
}

const timeOf = (at: number | null) => (at === null ? null : isoTime(at));

/** The body of the owner's webhook. It never contains the buyer or the address. */
export function orderEvent(
  { baseUrl }: Pick<Config, "baseUrl">,
  { order, lines, events, adjustments }: WholeOrder,
  notice: { readonly topic: OrderTopic; readonly domain: string; readonly now: number },
  messageId: string,
): JsonObject {
  const { orderId, siteKeyHash, amount } = order;
  return {
    type: notice.topic,
    message_id: messageId,
    occurred_at: isoTime(notice.now),
    site_key_hash: siteKeyHash,
    domain: notice.domain,
    order: {
      order_id: orderId,
      number: order.number,
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

export interface MailContext {
  readonly baseUrl: string;
  readonly domain: string;
  readonly timeZone: string;
  readonly isTest: boolean;
}

const TEST_MODE_LINES = ["This is a test order. No money moves.", ""];
const subjectOf = ({ domain, isTest }: MailContext, words: string) =>
  `${isTest ? "Test order: " : ""}${domain}: ${words}`;

export function soldMail({ order, lines }: WholeOrder, context: MailContext): NoticeWords {
  const { baseUrl, domain, timeZone, isTest } = context;
  const { orderId, amount, expiresAt } = order;
  const label = orderLabel(order);
  const sum = moneyWords(amount);
  const link = orderPage(baseUrl, domain, orderId);
  const text = [
    ...(isTest ? TEST_MODE_LINES : []),
    `You have a new order at ${domain}. The payment is authorized, but not captured yet.`,
    "",
    ...factLines([
      ["Order", label],
      ["Items", ...lines.map(({ quantity, title }) => `${quantity} × ${plainLine(title)}`)],
      ["Amount", sum],
      ["Expires", ...(expiresAt === null ? [] : [localTime(expiresAt, timeZone)])],
    ]),
    "",
    "Open the order to see the buyer, capture the payment before it expires, and mark what you sent. Gatehouse then notifies the buyer:",
    "",
    link,
  ];
  const subject = subjectOf(context, `order ${label} of ${sum}`);
  return { subject, text: `${text.join("\n")}\n`, amount: sum, link };
}

export function disputedMail(
  { order }: WholeOrder,
  dispute: Adjustment,
  context: MailContext,
): NoticeWords {
  const { baseUrl, domain, isTest } = context;
  const { orderId, amount, attemptId } = order;
  const label = orderLabel(order);
  const sum = moneyWords({ ...amount, minor: dispute.amountMinor ?? amount.minor });
  const link = orderPage(baseUrl, domain, orderId);
  const text = [
    ...(isTest ? TEST_MODE_LINES : []),
    `A buyer's bank disputes the payment of order ${label} at ${domain}.`,
    "",
    ...factLines([
      ["Order", label],
      ["Amount", sum],
      ["Dispute", dispute.adjustmentId],
      ["Attempt", attemptId],
    ]),
    "",
    "Respond to the dispute at your payment provider before the deadline that you see there.",
    "",
    "The order is here:",
    "",
    link,
  ];
  const subject = subjectOf(context, `the payment of order ${label} is disputed: ${sum}`);
  return { subject, text: `${text.join("\n")}\n`, amount: sum, link };
}
