import type { UcpTotals } from "@gatehouse/protocol";
import {
  type CheckoutContent,
  chosenAddress,
  type Missing,
  type Quote,
} from "../../domain/checkouts/checkout.js";
import type { AnsweredQuote, ShopQuestion } from "../../domain/shop-quotes/shop-quote.js";
import { destinationIn, hasEmail, isComplete } from "../../purchase/buyer-place.js";
import { atShopPrices, type PricedLines } from "../../purchase/prices.js";
import { questionOf } from "../../purchase/shop-question.js";
import type { DatedQuote } from "../../purchase/shop-quote.js";
import { quotedLines } from "./totals.js";

/** What a shop system is asked about a checkout; undefined if the checkout cannot be bought anyway. */
export function shopQuestionFor(
  siteKeyHash: string,
  content: CheckoutContent,
  { lines, currency }: PricedLines,
): ShopQuestion | undefined {
  if (currency === null || lines.some((line) => typeof line === "string")) return undefined;
  return questionOf({ siteKeyHash, currency, lines: content.lines, content });
}

interface ConnectedQuoteInput {
  readonly priced: PricedLines;
  readonly content: CheckoutContent;
  readonly terms: string | null;
}

function missingOf(answer: AnsweredQuote, { buyer, delivery, context }: CheckoutContent) {
  const missing: Missing[] = [];
  const { ships, options } = answer;
  const address = chosenAddress(delivery);
  if (!hasEmail(buyer)) missing.push("email");
  if (ships && !isComplete(address, buyer)) missing.push("address");
  const isChosen = options.some(({ id }) => id === delivery.optionId);
  if (ships && destinationIn(address ?? context) !== undefined && !isChosen) {
    missing.push(options.length === 0 ? "deliverable" : "option");
  }
  return missing;
}

/** What a shop system would charge. If a line cannot be bought, nothing is charged, and its sums mean nothing. */
export function shopTotals(
  shop: AnsweredQuote,
  answered: PricedLines,
  optionId: string | null,
): UcpTotals {
  if (answered.lines.some((line) => typeof line === "string")) return listTotals(answered);
  const chosen = shop.options.find(({ id }) => id === optionId);
  const discountMinor = shop.discounts.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return {
    subtotalMinor: answered.subtotalMinor,
    shippingMinor: chosen?.amountMinor ?? null,
    ...(discountMinor === 0 ? {} : { discountMinor }),
    ...(shop.fees === undefined ? {} : { fees: shop.fees }),
    taxMinor: shop.taxMinor,
    totalMinor: shop.totalMinor,
  };
}

/** Goods at the price of the list of products, without taxes: only the shop system knows those. */
export function listTotals({ subtotalMinor }: PricedLines): UcpTotals {
  return { subtotalMinor, shippingMinor: null, taxMinor: 0, totalMinor: subtotalMinor };
}

/** A checkout that the shop system has not priced. */
export function listQuote(
  { priced, terms }: ConnectedQuoteInput,
  missing: readonly Missing[],
): Quote {
  const shown = { currency: priced.currency, ...quotedLines(priced), ships: true, options: [] };
  return { ...shown, totals: listTotals(priced), discounts: [], terms, missing };
}

/** A checkout as the shop system prices it. Without an answer, goods are shown at the price of the list of products. */
export function connectedQuote(
  { answer: shop, askedAt }: DatedQuote,
  connected: ConnectedQuoteInput,
): Quote {
  const { priced, content, terms } = connected;
  if (shop.kind === "unanswered") return listQuote(connected, ["shop"]);
  const answered = atShopPrices(priced, shop);
  const { codes = [] } = content;
  const rejectedCodes = codes.filter((code) => shop.rejectedCoupons.includes(code));
  return {
    currency: priced.currency,
    ...quotedLines(answered),
    ships: shop.ships,
    options: shop.options,
    totals: shopTotals(shop, answered, content.delivery.optionId),
    // UCP has no discount of nothing.
    discounts: shop.discounts.filter(({ amountMinor }) => amountMinor > 0),
    ...(rejectedCodes.length === 0 ? {} : { rejectedCodes }),
    terms,
    missing: missingOf(shop, content),
    quotedAt: askedAt,
  };
}
