import { htmlText, showsPicture } from "@gatehouse/protocol";
import { filled } from "../../../domain/buyer-words/words.js";
import type { Quote } from "../../../domain/checkouts/checkout.js";
import type { Site } from "../../../domain/sites/site.js";
import type { WholeOrder } from "../../../purchase/orders/whole-order.js";
import { htmlPage, isolated } from "../../server/html-page.js";
import type { Voice } from "../../server/voice.js";

/** A heading and a sentence about the state of an order. */
export interface Message {
  readonly heading: string;
  readonly text: string;
}

interface Row {
  /** HTML. */
  readonly name: string;
  readonly minor: number;
}

const refundedMinor = (order: WholeOrder | null) =>
  (order?.adjustments ?? [])
    .filter(({ kind, status }) => kind === "refund" && status === "completed")
    .reduce((sum, { amountMinor }) => sum + (amountMinor ?? 0), 0);

/** Names with their prices, the total below, and what was refunded of it. */
function priceTable(
  { words, money }: Voice,
  currency: string,
  rows: readonly Row[],
  { totalMinor, order }: { readonly totalMinor: number; readonly order: WholeOrder | null },
): string {
  const row = ({ name, minor }: Row, kind = "") =>
    `<tr${kind}><th scope="row">${name}</th><td>${money(minor, currency)}</td></tr>`;
  const total = row({ name: htmlText(words.order.total), minor: totalMinor }, ' class="total"');
  const minor = -refundedMinor(order);
  const refunded = minor === 0 ? [] : [row({ name: htmlText(words.order.refunded), minor })];
  return ["<table>", ...rows.map((one) => row(one)), total, ...refunded, "</table>"].join("\n");
}

function itemName({ words }: Voice, title: string, quantity: number, left = quantity): string {
  const gone = quantity - left;
  const count = filled(words.order.cancelledPieces, { count: gone });
  const cancelled = gone === 0 ? "" : ` <span class="soft">(${htmlText(count)})</span>`;
  return `${isolated(title)} &times; ${quantity}${cancelled}`;
}

/** Not from an unencrypted address of others: the page says which goods somebody buys. */
const picture = ({ baseUrl }: Voice, url: string | null) =>
  showsPicture(baseUrl, url)
    ? `<img src="${htmlText(url)}" alt="" loading="lazy" referrerpolicy="no-referrer">`
    : "";

/** The items with pictures and prices, delivery, fees, taxes and the total. */
export function summary(
  voice: Voice,
  quote: Pick<Quote, "currency" | "lines" | "totals">,
  order: WholeOrder | null,
): string {
  const { currency, lines, totals } = quote;
  const { words } = voice;
  if (currency === null) return "";
  const items = lines.flatMap((line, i) => {
    if (typeof line === "string") return [];
    const left = order?.lines[i]?.total ?? line.quantity;
    const name = picture(voice, line.imageUrl) + itemName(voice, line.title, line.quantity, left);
    return [{ name, minor: line.amountMinor }];
  });
  const { discountMinor = 0, shippingMinor, fees = [], taxMinor, totalMinor } = totals;
  const more = [
    ...(discountMinor === 0
      ? []
      : [{ name: htmlText(words.order.discount), minor: -discountMinor }]),
    ...(shippingMinor === null
      ? []
      : [{ name: htmlText(words.order.delivery), minor: shippingMinor }]),
    ...fees.map(({ title, amountMinor: minor }) => ({ name: isolated(title), minor })),
    ...(taxMinor === 0 ? [] : [{ name: htmlText(words.order.tax), minor: taxMinor }]),
  ];
  return priceTable(voice, currency, [...items, ...more], { totalMinor, order });
}

/** The same of an order without a checkout: a mandate's total is that of its items. */
export function orderSummary(voice: Voice, whole: WholeOrder): string {
  const { order, lines } = whole;
  const { amount, items } = order;
  const rows = items.map(({ title, quantity, unit_minor }, i) => ({
    name: itemName(voice, title, quantity, lines[i]?.total),
    minor: unit_minor * quantity,
  }));
  return priceTable(voice, amount.currency, rows, { totalMinor: amount.minor, order: whole });
}

const shopLine = ({ name, domain }: Site) =>
  `<p class="soft">${isolated(name)} &middot; <a rel="noreferrer" href="https://${htmlText(domain)}/">${htmlText(domain)}</a></p>`;

export const paragraph = (text: string) => `<p>${htmlText(text)}</p>`;

export const notice = (text: string) => `<p class="notice" role="alert">${htmlText(text)}</p>`;

/** What a buyer does next. The browser shows and focuses it when the page comes back after an entry. */
export const NEXT_STEP = "next";
export const asNext = (isNext: boolean) => (isNext ? ` id="${NEXT_STEP}" tabindex="-1"` : "");

interface BuyerPageParts {
  readonly site: Site;
  readonly voice: Voice;
  readonly heading: string;
  readonly isTest: boolean;
  readonly refreshS?: number | undefined;
}

/** A page of a shop for a buyer. */
export function buyerPage(
  { site, voice, heading, isTest, refreshS }: BuyerPageParts,
  parts: readonly string[],
): string {
  const { language, words } = voice;
  const test = isTest ? [`<p class="test">${htmlText(words.order.test)}</p>`] : [];
  const body = [shopLine(site), ...test, `<h1>${htmlText(heading)}</h1>`, ...parts].join("\n");
  return htmlPage({ title: heading, refreshS, language }, body);
}

/** The terms of a shop, with the way back to the page that led to them. */
export function termsPage(site: Site, voice: Voice, text: string, backUrl: string | undefined) {
  const heading = voice.words.form.links.terms_of_service;
  const back =
    backUrl === undefined
      ? ""
      : `<p><a href="${htmlText(backUrl)}">${htmlText(voice.words.sandbox.back)}</a></p>`;
  const whole = `<div class="text">${isolated(text)}</div>`;
  return buyerPage({ site, voice, heading, isTest: false }, [back, whole, back]);
}
