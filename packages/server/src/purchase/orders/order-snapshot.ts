import {
  formatAmount,
  type JsonObject,
  orderDocument,
  totalEntries,
  type UcpOrderLine,
} from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import {
  type Checkout,
  chosenAddress,
  pageUrl,
  type Quote,
} from "../../domain/checkouts/checkout.js";
import type {
  Adjustment,
  LineQuantity,
  LineState,
  OrderEvent,
} from "../../domain/orders/adjustments/adjustment.js";
import { orderLabel } from "../../domain/orders/order.js";
import { isoTime } from "../../infra/clock.js";
import { orderLink } from "./order-link.js";
import type { WholeOrder } from "./whole-order.js";

const optional = (name: string, value: string | null) => (value === null ? {} : { [name]: value });
const lineItems = (lines: readonly LineQuantity[]) =>
  lines.map(({ id, quantity }) => ({ id, quantity }));

function lineOf(
  { lineId: id, ...line }: LineState,
  quoted: Quote["lines"][0] | undefined,
): UcpOrderLine {
  const imageUrl = typeof quoted === "object" ? quoted.imageUrl : null;
  const { id: productId, title, unit_minor: price, quantity: original, total, fulfilled } = line;
  return {
    id,
    amountMinor: price * original,
    original,
    total,
    fulfilled,
    item: { id: productId, title, price, ...optional("image_url", imageUrl) },
  };
}

function eventBody({ eventId: id, type, lines, occurredAt, ...event }: OrderEvent): JsonObject {
  return {
    id,
    occurred_at: isoTime(occurredAt),
    type,
    line_items: lineItems(lines),
    ...optional("tracking_number", event.trackingNumber),
    ...optional("tracking_url", event.trackingUrl),
    ...optional("carrier", event.carrier),
    ...optional("description", event.description),
  };
}

/** Refunded amounts and cancelled quantities are negative. */
function adjustmentBody(adjustment: Adjustment): JsonObject {
  const { adjustmentId: id, kind: type, status, amountMinor, lines, occurredAt } = adjustment;
  const gone = lines.map((line) => ({ id: line.id, quantity: -line.quantity }));
  return {
    id,
    type,
    occurred_at: isoTime(occurredAt),
    status,
    ...(gone.length === 0 ? {} : { line_items: gone }),
    ...(amountMinor === null ? {} : { totals: [{ type: "total", amount: -amountMinor }] }),
    ...optional("description", adjustment.description),
  };
}

/** How the remaining lines are delivered; empty if nothing is shipped. */
function expectations(
  { content: { delivery }, quote }: Checkout,
  lines: readonly LineState[],
): JsonObject[] {
  const address = chosenAddress(delivery);
  const remaining = lines.filter(({ total }) => total > 0);
  if (!quote.ships || address === undefined || remaining.length === 0) return [];
  const { id: _, ...destination } = address;
  const option = quote.options.find(({ id }) => id === delivery.optionId);
  return [
    {
      id: "exp_1",
      method_type: "shipping",
      destination: destination as JsonObject,
      line_items: remaining.map(({ lineId: id, total: quantity }) => ({ id, quantity })),
      ...optional("description", option?.title ?? null),
    },
  ];
}

/** The whole order as the agent that placed it with a mandate sees it. */
export function agentOrder(config: Pick<Config, "baseUrl">, whole: WholeOrder): JsonObject {
  const { order, lines, events, adjustments } = whole;
  const { amount, status, payment, createdAt } = order;
  const { order_id, order_url } = orderLink(config, whole);
  return {
    order_id,
    ...optional("order_url", order_url ?? null),
    status,
    payment,
    created_at: isoTime(createdAt),
    amount: { total: formatAmount(amount), currency: amount.currency },
    line_items: lines.map(({ lineId, id, title, quantity, total, fulfilled }) => ({
      id: lineId,
      item: { id, title },
      quantity: { original: quantity, total, fulfilled },
    })),
    events: events.map(eventBody),
    adjustments: adjustments.map(adjustmentBody),
  };
}

/** The whole order as the platform of its checkout sees it. */
export function orderSnapshot(
  config: Pick<Config, "baseUrl">,
  { order, events, adjustments, lines }: Omit<WholeOrder, "checkout">,
  checkout: Checkout,
): JsonObject {
  const { checkoutId, policies, quote } = checkout;
  return orderDocument({
    id: order.orderId,
    label: orderLabel(order),
    checkoutId,
    permalinkUrl: pageUrl(config, checkout),
    currency: order.amount.currency,
    totals: totalEntries(quote.totals),
    policies,
    lines: lines.map((line, i) => lineOf(line, quote.lines[i])),
    expectations: expectations(checkout, lines),
    events: events.map(eventBody),
    adjustments: adjustments.map(adjustmentBody),
  });
}
