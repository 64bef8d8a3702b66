import {
  type CheckoutContent,
  chosenAddress,
  type LineFault,
  type Missing,
  type Quote,
  type QuotedLine,
} from "../../domain/checkouts/checkout.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import type {
  AnsweredQuote,
  ShopQuestion,
  ShopQuote,
} from "../../domain/shop-quotes/shop-quote.js";
import type { Queries } from "../../infra/db/database.js";
import { destinationIn, hasEmail, isComplete } from "../../purchase/buyer-place.js";
import type { PricedLine, PricedLines } from "../../purchase/prices.js";
import { questionOf } from "../../purchase/shop-question.js";
import { quotedLine, quotedLines } from "./quoted-lines.js";

/**
 * What the shop system of a site is asked about a checkout; undefined if the site has none, or the checkout cannot be
 * bought anyway.
 */
export async function shopQuestionFor(
  db: Queries,
  siteKeyHash: string,
  content: CheckoutContent,
  { lines, currency }: PricedLines,
): Promise<ShopQuestion | undefined> {
  if (currency === null || lines.some((line) => typeof line === "string")) return undefined;
  if ((await shopConnection(db, siteKeyHash)) === undefined) return undefined;
  return questionOf({ siteKeyHash, currency, lines: content.lines, content });
}

interface Connected {
  readonly priced: PricedLines;
  readonly content: CheckoutContent;
  readonly terms: string | null;
}

/** A line at the price of the shop system, which may differ from the list of products. */
function shopLine(line: PricedLine | LineFault, answer: number | LineFault | undefined) {
  if (typeof line === "string" || typeof answer !== "number") return answer as LineFault;
  const amountMinor = answer * line.quantity;
  return { ...quotedLine(line), unitMinor: answer, amountMinor } satisfies QuotedLine;
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

/** A checkout as the shop system prices it. Without an answer, goods are shown at the price of the list of products. */
export function connectedQuote(shop: ShopQuote, { priced, content, terms }: Connected): Quote {
  const { currency, subtotalMinor } = priced;
  if (shop.kind === "unanswered") {
    const totals = { subtotalMinor, shippingMinor: null, taxMinor: 0, totalMinor: subtotalMinor };
    const shown = { currency, ...quotedLines(priced), ships: true, options: [] };
    return { ...shown, totals, terms, missing: ["shop"] };
  }
  const lines = priced.lines.map((line, i) => shopLine(line, shop.lines[i]));
  const goods = lines.map((line) => (typeof line === "string" ? 0 : line.amountMinor));
  const chosen = shop.options.find(({ id }) => id === content.delivery.optionId);
  const discountMinor = shop.discounts.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return {
    currency,
    lines,
    ships: shop.ships,
    options: shop.options,
    totals: {
      subtotalMinor: goods.reduce((sum, amount) => sum + amount, 0),
      shippingMinor: chosen?.amountMinor ?? null,
      ...(discountMinor === 0 ? {} : { discountMinor }),
      ...(shop.fees === undefined ? {} : { fees: shop.fees }),
      taxMinor: shop.taxMinor,
      totalMinor: shop.totalMinor,
    },
    terms,
    missing: missingOf(shop, content),
  };
}
