import { formatAmount } from "@gatehouse/protocol";
import type { OrderEvent } from "../../owners/orders/aftermath/aftermath.js";
import type { Site } from "../../owners/sites/site.js";
import { plainLine, unlinked } from "../../platform/mail/plain-words.js";
import type { OrderTopic } from "./order-notice.js";
import type { WholeOrder } from "./whole-order.js";

/** What a buyer is told by mail. Everything else their platform tells them. */
export type BuyerTopic = Extract<OrderTopic, "order.created" | "order.shipped" | "order.cancelled">;

const BUYER_TOPICS: readonly OrderTopic[] = ["order.created", "order.shipped", "order.cancelled"];
export const isForBuyer = (topic: OrderTopic): topic is BuyerTopic => BUYER_TOPICS.includes(topic);

export interface BuyerMail {
  readonly topic: BuyerTopic;
  readonly site: Site;
  readonly whole: WholeOrder;
  /** The page of the order. */
  readonly url: string;
  /** Whether no money is behind it. */
  readonly rehearsed: boolean;
}

/** Nothing in it was written by whoever ordered: names and addresses of strangers make good spam. */
function openingOf({ topic, site: { domain }, whole }: BuyerMail): readonly string[] {
  if (topic === "order.created") {
    return [`Thank you for your order at ${domain}. The payment is authorized.`];
  }
  if (topic === "order.cancelled") {
    const all = whole.order.status === "cancelled";
    return [`${all ? "Your order" : "A part of your order"} at ${domain} was cancelled.`];
  }
  return [`Something you ordered at ${domain} is on its way.`, ...trackingOf(whole.events.at(-1))];
}

function trackingOf(event: OrderEvent | undefined): readonly string[] {
  const { carrier = null, trackingNumber = null, trackingUrl = null } = event ?? {};
  const by = [carrier, trackingNumber].filter((text) => text !== null).map(unlinked);
  return [
    ...(by.length === 0 ? [] : ["", `Sent by:  ${by.join(", ")}`]),
    // The shop's own link: its people gave it, and it is all of a line.
    ...(trackingUrl === null ? [] : [`Track it: ${trackingUrl}`]),
  ];
}

function sumsOf({ order, checkout }: WholeOrder): readonly string[] {
  const { currency } = order.amount;
  const money = (minor: number) => `${formatAmount({ minor, currency })} ${currency}`;
  const { shippingMinor, taxMinor } = checkout?.quote.totals ?? {
    shippingMinor: null,
    taxMinor: 0,
  };
  return [
    ...(shippingMinor === null ? [] : [`  Delivery: ${money(shippingMinor)}`]),
    ...(taxMinor === 0 ? [] : [`  Tax: ${money(taxMinor)}`]),
    `  Total: ${money(order.amount.minor)}`,
  ];
}

const SUBJECTS: Readonly<Record<BuyerTopic, string>> = {
  "order.created": "your order",
  "order.shipped": "your order is on its way",
  "order.cancelled": "your order was cancelled",
};

/** A plain text to the buyer. Its subject names the shop by its domain only. */
export function buyerMail(mail: BuyerMail) {
  const { site, whole, url, topic, rehearsed } = mail;
  const lines = [
    ...(rehearsed
      ? ["This is a rehearsal of a shop: no money moves, and nothing is sent.", ""]
      : []),
    ...openingOf(mail),
    "",
    ...whole.lines.map(({ quantity, title }) => `  ${quantity} × ${unlinked(title)}`),
    ...sumsOf(whole),
    "",
    `Order: ${whole.order.orderId}`,
    `How far it is: ${url}`,
    "",
    `Sold by ${unlinked(plainLine(site.name))}, https://${site.domain}/`,
  ];
  const kind = rehearsed ? "rehearsal: " : "";
  return { subject: `${kind}${site.domain}: ${SUBJECTS[topic]}`, text: `${lines.join("\n")}\n` };
}
