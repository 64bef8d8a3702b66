import { formatAmount, htmlText } from "@gatehouse/protocol";
import type {
  Adjustment,
  EventType,
  LineQuantity,
  OrderEvent,
} from "../../domain/orders/adjustments/adjustment.js";
import { isoTime } from "../../infra/clock.js";
import type { WholeOrder } from "../../purchase/orders/whole-order.js";
import { isolated } from "../server/html-page.js";

/** The state of an order, for its buyer. */
export function orderMessage({ order: { status, payment }, lines }: WholeOrder) {
  if (status === "cancelled") {
    const money =
      payment === "captured"
        ? "The shop had taken the money already, and gives it back."
        : "Nothing is taken for it.";
    return { heading: "This order was cancelled", text: money };
  }
  if (lines.every(({ total, delivered }) => delivered >= total)) {
    return { heading: "Your order has arrived", text: "All of it was delivered." };
  }
  if (status === "shipped") {
    return { heading: "Your order is on its way", text: "All of it has left the shop." };
  }
  if (status === "partly_shipped") {
    return { heading: "A part of your order is on its way", text: "The rest will follow." };
  }
  const some = lines.some(({ quantity, total }) => total < quantity) ? "what is left of it" : "it";
  const text =
    payment === "captured"
      ? `The shop has ${some}, and has taken the payment.`
      : `The shop has ${some}, and the payment is authorized.`;
  return { heading: "Thank you for your order", text };
}

const EVENTS: Readonly<Record<EventType, string>> = {
  processing: "Being packed",
  shipped: "Sent",
  in_transit: "On its way",
  delivered: "Delivered",
  failed_attempt: "Could not be delivered; it is tried again",
  undeliverable: "Could not be delivered",
  returned_to_sender: "Went back to the shop",
};

const timeTag = (at: number) =>
  `<time datetime="${isoTime(at)}">${isoTime(at).slice(0, 16).replace("T", " ")} UTC</time>`;

function pieces(lines: readonly LineQuantity[]): string {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return count === 1 ? "1 piece" : `${count} pieces`;
}

const item = (at: number, ...parts: readonly string[]) =>
  `<li>${[timeTag(at), ...parts].join(" &middot; ")}</li>`;
const words = (text: string | null) => (text === null ? [] : [isolated(text)]);

function eventItem({ type, lines, occurredAt, trackingUrl: url, ...event }: OrderEvent): string {
  const track = url === null ? [] : [`<a rel="noreferrer" href="${htmlText(url)}">Track it</a>`];
  const by = [...words(event.carrier), ...words(event.trackingNumber)];
  const what = `${EVENTS[type]}: ${pieces(lines)}`;
  return item(occurredAt, what, ...by, ...words(event.description), ...track);
}

const RETURNED = { pending: "under way", completed: "done", failed: "did not work" };

/** Disputes are left out: the buyer started them. */
function adjustmentItem(currency: string, adjustment: Adjustment): readonly string[] {
  const { kind, status, amountMinor: minor, occurredAt, description, lines } = adjustment;
  if (kind === "refund" && minor !== null) {
    const sum = htmlText(`${formatAmount({ minor, currency })} ${currency}`);
    return [item(occurredAt, `Refund of ${sum}: ${RETURNED[status]}`)];
  }
  if (kind !== "cancellation") return [];
  return [item(occurredAt, `Cancelled: ${pieces(lines)}`, ...words(description))];
}

/** The events and adjustments of an order that its buyer sees. */
export function orderHistory({ order, events, adjustments }: WholeOrder): string {
  const items = [
    ...events.map((event) => ({ at: event.occurredAt, html: [eventItem(event)] })),
    ...adjustments.map((one) => ({
      at: one.occurredAt,
      html: adjustmentItem(order.amount.currency, one),
    })),
  ]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ html }) => html);
  return items.length === 0 ? "" : `<h2>What happened</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}
