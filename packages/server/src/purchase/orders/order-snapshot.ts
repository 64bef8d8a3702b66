import {
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
import { isoTime } from "../../infra/clock.js";
import type { WholeOrder } from "./whole-order.js";

const given = (name: string, value: string | null) => (value === null ? {} : { [name]: value });
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
    item: { id: productId, title, price, ...given("image_url", imageUrl) },
  };
}

function eventBody({ eventId: id, type, lines, occurredAt, ...event }: OrderEvent): JsonObject {
  return {
    id,
    occurred_at: isoTime(occurredAt),
    type,
    line_items: lineItems(lines),
    ...given("tracking_number", event.trackingNumber),
    ...given("tracking_url", event.trackingUrl),
    ...given("carrier", event.carrier),
    ...given("description", event.description),
  };
}

/** What goes back to a buyer is counted below nothing, and so is what is not bought any more. */
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
    ...given("description", adjustment.description),
  };
}

/** How what is left of it is to reach its buyer; nothing where nothing is sent. */
function expectations(
  { content: { delivery }, quote }: Checkout,
  lines: readonly LineState[],
): JsonObject[] {
  const address = chosenAddress(delivery);
  const wanted = lines.filter(({ total }) => total > 0);
  if (!quote.ships || address === undefined || wanted.length === 0) return [];
  const { id: _, ...destination } = address;
  const option = quote.options.find(({ id }) => id === delivery.optionId);
  return [
    {
      id: "exp_1",
      method_type: "shipping",
      destination: destination as JsonObject,
      line_items: wanted.map(({ lineId: id, total: quantity }) => ({ id, quantity })),
      ...given("description", option?.title ?? null),
    },
  ];
}

/** An order of a checkout as its platform sees it, all of it; undefined where no platform ordered. */
export function orderSnapshot(
  config: Pick<Config, "baseUrl">,
  { order, checkout, events, adjustments, lines }: WholeOrder,
): JsonObject | undefined {
  if (checkout === null) return undefined;
  const { checkoutId, policies, quote } = checkout;
  return orderDocument({
    id: order.orderId,
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
