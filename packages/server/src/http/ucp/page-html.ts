import { formatAmount, htmlText } from "@gatehouse/protocol";
import type { BuyerProgress } from "../../actions/checkout/buyer-page.js";
import type { Progress } from "../../actions/checkout/progress.js";
import { type Checkout, isHandedOff, type Quote } from "../../domain/checkouts/checkout.js";
import type { Site } from "../../domain/sites/site.js";
import type { WholeOrder } from "../../purchase/orders/whole-order.js";
import { htmlPage, isolated } from "../server/html-page.js";
import { orderHistory, orderMessage } from "./order-html.js";

/** After this time the page of a waiting buyer is loaded again. */
const REFRESH_S = 5;

/** A heading, a sentence, and perhaps a link. */
interface Message {
  readonly heading: string;
  readonly text: string;
  readonly act?: string;
  readonly waits?: true;
}

const link = (url: string, text: string) =>
  `<p><a class="act" rel="noreferrer" href="${htmlText(url)}">${text}</a></p>`;

function underWay(progress: Progress | null, isPaused: boolean): Message {
  if (progress?.kind === "challenged" && isPaused) {
    return {
      heading: "The shop has paused sales",
      text: "This payment cannot be confirmed now, and nothing was charged. Wait here, or try again later.",
      waits: true,
    };
  }
  if (progress?.kind === "challenged") {
    return {
      heading: "Your bank wants to hear from you",
      text: "Confirm this payment to your bank. Afterwards you come back to this page.",
      act: link(progress.challengeUrl, "Continue to your bank"),
    };
  }
  if (progress?.kind === "reviewed") {
    return {
      heading: "The shop is looking at this order",
      text: "A person at the shop decides about it before anything is paid. There is nothing for you to do.",
      waits: true,
    };
  }
  const text = "Your payment is being confirmed. This page says when it is.";
  return { heading: "One moment", text, waits: true };
}

/** What a page shows. */
interface PageState extends BuyerProgress {
  /** Whether the shop has paused sales. */
  readonly isPaused: boolean;
  readonly now: number;
}

const TEST_ORDER = '<p class="soft">This is a rehearsal: no money moves, and nothing is sent.</p>';

function messageOf(checkout: Checkout, { progress, order, isPaused, now }: PageState): Message {
  const { status, problem, expiresAt } = checkout;
  if (order !== null) return orderMessage(order);
  if (status === "completing") return underWay(progress, isPaused);
  if (status === "cancelled" || now >= expiresAt) {
    const text = "It was cancelled, or has expired. Nothing was paid for it.";
    return { heading: "This order is not open any more", text };
  }
  if (isHandedOff(checkout)) {
    return {
      heading: "Order from the shop directly",
      text: "The shop does not take payments from the app you used. Nothing was paid.",
    };
  }
  if (problem !== null) {
    return {
      heading: "Nothing was paid",
      text: `${problem.content} Go back to where you ordered.`,
    };
  }
  const text =
    "Go back to where you began, or order from the shop directly. You cannot pay on this page.";
  return { heading: "This order is not completed yet", text };
}

interface Row {
  readonly name: string;
  readonly minor: number;
}

/** Names with their prices, and the total below. */
function priceTable(currency: string, rows: readonly Row[], totalMinor: number): string {
  const row = ({ name, minor }: Row, kind = "") => {
    const money = htmlText(`${formatAmount({ currency, minor })} ${currency}`);
    return `<tr${kind}><th scope="row">${name}</th><td>${money}</td></tr>`;
  };
  const total = row({ name: "Total", minor: totalMinor }, ' class="total"');
  return ["<table>", ...rows.map((one) => row(one)), total, "</table>"].join("\n");
}

function itemName(title: string, quantity: number, left: number): string {
  const gone = quantity - left;
  const cancelled = gone === 0 ? "" : ` <span class="soft">(${gone} cancelled)</span>`;
  return `${isolated(title)} &times; ${quantity}${cancelled}`;
}

/** The items and their prices, without the buyer and the address. */
function summary({ currency, lines, totals }: Quote, order: WholeOrder | null): string {
  if (currency === null) return "";
  const items = lines.flatMap((line, i) => {
    if (typeof line === "string") return [];
    const left = order?.lines[i]?.total ?? line.quantity;
    return [{ name: itemName(line.title, line.quantity, left), minor: line.amountMinor }];
  });
  const { shippingMinor, taxMinor, totalMinor } = totals;
  const more = [
    ...(shippingMinor === null ? [] : [{ name: "Delivery", minor: shippingMinor }]),
    ...(taxMinor === 0 ? [] : [{ name: "Tax", minor: taxMinor }]),
  ];
  return priceTable(currency, [...items, ...more], totalMinor);
}

/** The same of an order without a checkout: a mandate's total is that of its items. */
function orderSummary({ order, lines }: WholeOrder): string {
  const { amount, items } = order;
  const rows = items.map(({ title, quantity, unit_minor }, i) => ({
    name: itemName(title, quantity, lines[i]?.total ?? quantity),
    minor: unit_minor * quantity,
  }));
  return priceTable(amount.currency, rows, amount.minor);
}

const shopLine = ({ name, domain }: Site) =>
  `<p class="soft">${isolated(name)} &middot; <a rel="noreferrer" href="https://${htmlText(domain)}/">${htmlText(domain)}</a></p>`;

const orderLines = (order: WholeOrder) => [
  `<p class="soft">Order <code>${htmlText(order.order.orderId)}</code></p>`,
  orderHistory(order),
];

/** The page of an order that a mandate placed. */
export function orderPage(
  site: Site,
  { order, isTest }: { readonly order: WholeOrder; readonly isTest: boolean },
): string {
  const { heading, text } = orderMessage(order);
  const body = [
    shopLine(site),
    ...(isTest ? [TEST_ORDER] : []),
    `<h1>${heading}</h1>`,
    `<p>${htmlText(text)}</p>`,
    ...orderLines(order),
    orderSummary(order),
  ].join("\n");
  return htmlPage({ title: heading, refreshS: undefined }, body);
}

/** The page of a checkout for its buyer. It starts nothing but the bank's confirmation. */
export function checkoutPage(site: Site, checkout: Checkout, state: PageState): string {
  const { heading, text, act = "", waits } = messageOf(checkout, state);
  const { order } = state;
  const named = order === null ? [] : orderLines(order);
  const body = [
    shopLine(site),
    ...(state.isTest ? [TEST_ORDER] : []),
    `<h1>${heading}</h1>`,
    `<p>${htmlText(text)}</p>`,
    act,
    ...named,
    summary(checkout.quote, order),
  ].join("\n");
  return htmlPage({ title: heading, refreshS: waits && REFRESH_S }, body);
}
