import { formatAmount, htmlText } from "@gatehouse/protocol";
import type { WholeOrder } from "../../decide/after-sale/whole-order.js";
import type { Adjustment, EventType, OrderEvent } from "../../owners/orders/aftermath/aftermath.js";
import { isoTime } from "../../platform/clock.js";
import { own } from "../../platform/http/html-page.js";

/** How far an order is, for whoever bought it. */
export function orderSaying({ order: { status, payment } }: WholeOrder) {
  if (status === "cancelled") {
    const money =
      payment === "captured"
        ? "The shop had taken the money already, and gives it back."
        : "Nothing is taken for it.";
    return { heading: "This order was cancelled", text: money };
  }
  if (status === "shipped") {
    return { heading: "Your order is on its way", text: "All of it has left the shop." };
  }
  if (status === "partly_shipped") {
    return { heading: "A part of your order is on its way", text: "The rest will follow." };
  }
  const text =
    payment === "captured"
      ? "The shop has it, and has taken the payment."
      : "The shop has it, and the payment is authorized.";
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

function eventItem({ type, occurredAt, carrier, trackingNumber, ...event }: OrderEvent): string {
  const by = [carrier, trackingNumber].flatMap((text) => (text === null ? [] : [own(text)]));
  const { trackingUrl: url, description } = event;
  const track = url === null ? [] : [`<a rel="noreferrer" href="${htmlText(url)}">Track it</a>`];
  const said = description === null ? [] : [own(description)];
  return `<li>${[timeTag(occurredAt), EVENTS[type], ...by, ...said, ...track].join(" &middot; ")}</li>`;
}

const RETURNED = { pending: "under way", completed: "done", failed: "did not work" };

/** What a bank disputes its own customer knows. */
function adjustmentItem(currency: string, adjustment: Adjustment): readonly string[] {
  const { kind, status, amountMinor: minor, occurredAt, description, lines } = adjustment;
  const said = description === null ? [] : [own(description)];
  if (kind === "refund" && minor !== null) {
    const sum = htmlText(`${formatAmount({ minor, currency })} ${currency}`);
    return [`<li>${timeTag(occurredAt)} &middot; Refund of ${sum}: ${RETURNED[status]}</li>`];
  }
  if (kind !== "cancellation") return [];
  const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const what = `Cancelled: ${pieces} ${pieces === 1 ? "piece" : "pieces"}`;
  return [`<li>${[timeTag(occurredAt), what, ...said].join(" &middot; ")}</li>`];
}

/** All that became of an order, as far as its buyer has to know. */
export function orderHistory({ order, events, adjustments }: WholeOrder): string {
  const items = [
    ...events.map((event) => ({ at: event.occurredAt, html: [eventItem(event)] })),
    ...adjustments.map((one) => ({
      ...{ at: one.occurredAt, html: adjustmentItem(order.amount.currency, one) },
    })),
  ]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ html }) => html);
  return items.length === 0 ? "" : `<h2>What happened</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}
