import { htmlText, type JsonObject } from "@gatehouse/protocol";
import { countryName, filled } from "../../../domain/buyer-words/words.js";
import { type Checkout, chosenAddress } from "../../../domain/checkouts/checkout.js";
import type {
  Adjustment,
  LineQuantity,
  OrderEvent,
} from "../../../domain/orders/adjustments/adjustment.js";
import { orderLabel } from "../../../domain/orders/order.js";
import type { Site } from "../../../domain/sites/site.js";
import { isoTime } from "../../../infra/clock.js";
import type { WholeOrder } from "../../../purchase/orders/whole-order.js";
import { isolated } from "../../server/html-page.js";
import type { Voice } from "../../server/voice.js";
import { buyerPage, type Message, orderSummary, paragraph, summary } from "./parts.js";

/** The state of an order, for its buyer. */
function orderMessage({ words: { placed } }: Voice, whole: WholeOrder): Message {
  const { order, lines } = whole;
  const isCaptured = order.payment === "captured";
  if (order.status === "cancelled") {
    return { heading: placed.cancelled, text: isCaptured ? placed.givenBack : placed.nothingTaken };
  }
  if (lines.every(({ total, delivered }) => delivered >= total)) {
    return { heading: placed.arrived, text: placed.arrivedAll };
  }
  if (order.status === "shipped") return { heading: placed.shipped, text: placed.shippedAll };
  if (order.status === "partly_shipped") {
    return { heading: placed.partlyShipped, text: placed.restFollows };
  }
  return { heading: placed.thanks, text: isCaptured ? placed.captured : placed.authorized };
}

function pieces({ words: { event } }: Voice, lines: readonly LineQuantity[]): string {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return htmlText(count === 1 ? event.onePiece : filled(event.pieces, { count }));
}

function item({ dateTime }: Voice, at: number, ...parts: readonly string[]): string {
  const time = `<time datetime="${isoTime(at)}">${htmlText(dateTime(at))}</time>`;
  return `<li>${[time, ...parts].join(" &middot; ")}</li>`;
}

const owned = (text: string | null) => (text === null ? [] : [isolated(text)]);

function eventItem(voice: Voice, event: OrderEvent): string {
  const { type, lines, occurredAt, trackingUrl: url, carrier, trackingNumber, description } = event;
  const { words } = voice;
  const track = htmlText(words.placed.track);
  const link = url === null ? [] : [`<a rel="noreferrer" href="${htmlText(url)}">${track}</a>`];
  const by = [...owned(carrier), ...owned(trackingNumber), ...owned(description)];
  return item(voice, occurredAt, htmlText(words.event[type]), pieces(voice, lines), ...by, ...link);
}

const REFUNDS = {
  pending: "refundPending",
  completed: "refundCompleted",
  failed: "refundFailed",
} as const;

/** Disputes are left out: the buyer started them. */
function adjustmentItem(
  voice: Voice,
  currency: string,
  { kind, status, amountMinor: minor, occurredAt, description, lines }: Adjustment,
): readonly string[] {
  const { event } = voice.words;
  if (kind === "refund" && minor !== null) {
    const amount = voice.money(minor, currency);
    const what = filled(htmlText(event[REFUNDS[status]]), { amount });
    return [item(voice, occurredAt, what, ...owned(description))];
  }
  if (kind !== "cancellation") return [];
  const what = [htmlText(event.cancelled), pieces(voice, lines), ...owned(description)];
  return [item(voice, occurredAt, ...what)];
}

/** The events and adjustments of an order that its buyer sees. */
function orderHistory(voice: Voice, { order, events, adjustments }: WholeOrder): string {
  const items = [
    ...events.map((event) => ({ at: event.occurredAt, html: [eventItem(voice, event)] })),
    ...adjustments.map((one) => ({
      at: one.occurredAt,
      html: adjustmentItem(voice, order.amount.currency, one),
    })),
  ]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ html }) => html);
  if (items.length === 0) return "";
  return `<h2>${htmlText(voice.words.placed.history)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}

/** A name or a street without most of its letters: the buyer recognizes it, and others with the link learn little. */
const masked = (text: string) => `${[...text][0] ?? ""}…`;

/** Where an order goes, as far as its page may say it to everybody who has the link. */
function maskedPlace({ content }: Checkout, { language }: Voice): string | undefined {
  const address: JsonObject | undefined = chosenAddress(content.delivery);
  if (address === undefined) return undefined;
  const textOf = (name: string) => {
    const text = address[name] ?? content.buyer[name];
    return typeof text === "string" ? text : "";
  };
  const names = ["first_name", "last_name"].map(textOf).filter((name) => name !== "");
  const parts = [
    names.map(masked).join(" "),
    textOf("address_locality"),
    countryName(textOf("address_country"), language),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** Where an order goes, for the browser that may know. */
export function fullAddress({ words, language }: Voice, { content }: Checkout): string {
  const address: JsonObject = chosenAddress(content.delivery) ?? {};
  const textOf = (name: string) => {
    const text = address[name] ?? content.buyer[name];
    return typeof text === "string" ? text : "";
  };
  const parts = [
    [textOf("first_name"), textOf("last_name")],
    [textOf("street_address"), textOf("extended_address")],
    [textOf("postal_code"), textOf("address_locality"), textOf("address_region")],
    [countryName(textOf("address_country"), language)],
    [textOf("email")],
  ];
  const place = parts
    .map((line) => line.filter((text) => text !== "").join(" "))
    .filter((line) => line !== "")
    .join(", ");
  return place === "" ? "" : paragraph(filled(words.order.deliverTo, { place }));
}

interface OrderPage {
  readonly order: WholeOrder;
  readonly isTest: boolean;
  /** Undefined for the order of a mandate. */
  readonly checkout?: Checkout | undefined;
}

/** The page of an order. */
export function orderPage(
  site: Site,
  voice: Voice,
  { order, isTest, checkout }: OrderPage,
): string {
  const { heading, text } = orderMessage(voice, order);
  const { words } = voice;
  const number = filled(words.order.number, { id: orderLabel(order.order) });
  const place = checkout && maskedPlace(checkout, voice);
  const address = place ? filled(words.order.deliverTo, { place }) : "";
  return buyerPage({ site, voice, heading, isTest }, [
    paragraph(text),
    `<p class="soft">${htmlText(number)}</p>`,
    ...(address === "" ? [] : [`<p class="soft">${htmlText(address)}</p>`]),
    orderHistory(voice, order),
    checkout === undefined ? orderSummary(voice, order) : summary(voice, checkout.quote, order),
  ]);
}
