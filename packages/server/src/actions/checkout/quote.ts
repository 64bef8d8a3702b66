import { hash } from "node:crypto";
import { canonicalize, type JsonValue, type UcpTotals } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type CheckoutContent,
  chosenAddress,
  type Missing,
  type Quote,
} from "../../domain/checkouts/checkout.js";
import type { OrderedItem } from "../../domain/payments/payment.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Queries } from "../../infra/db/database.js";
import { COUNTRY, destinationIn, hasEmail, isComplete } from "../../purchase/buyer-place.js";
import { type PricedLines, priceLines } from "../../purchase/prices.js";
import { shopQuote } from "../../purchase/shop-quote.js";
import { connectedQuote, listQuote, shopQuestionFor } from "./connected-quote.js";
import { isTaxable, optionsTo, quotedLines, totalsOf } from "./totals.js";

const termsDigest = ({ terms }: ShopSettings) =>
  terms === null ? null : hash("sha256", terms.text, "hex");

/**
 * Prices everything that a platform is shown: lines, delivery options, taxes and totals. For a site with a shop
 * system, that system does.
 */
export async function quoteFor(
  tools: Pick<Context, "clock">,
  db: Queries,
  siteKeyHash: string,
  content: CheckoutContent,
  purpose: "order" | "quote",
): Promise<Quote> {
  const settings = await shopSettings(db, siteKeyHash);
  const priced = await priceLines(db, siteKeyHash, content.lines, purpose);
  if ((await shopConnection(db, siteKeyHash)) === undefined) {
    return ownQuote(settings, priced, content);
  }
  const connected = { priced, content, terms: termsDigest(settings) };
  const question = shopQuestionFor(siteKeyHash, content, priced);
  if (question === undefined) return listQuote(connected, []);
  return connectedQuote(await shopQuote(tools, db, question, purpose), connected);
}

/** Prices lines from the site's own settings. */
function ownQuote(
  settings: ShopSettings,
  priced: PricedLines,
  { buyer, context, delivery }: CheckoutContent,
): Quote {
  const { currency, subtotalMinor } = priced;
  const ships = settings.shipping.length > 0;
  const address = chosenAddress(delivery);
  const hasAddress = isComplete(address, buyer);
  const destination = destinationIn(address ?? context);
  // Delivery costs depend only on the country, so nothing else is needed to show them.
  const isPriceable = destination !== undefined && COUNTRY.test(destination.country);
  const offered =
    ships && isPriceable && currency !== null ? optionsTo(settings, destination, currency) : [];
  const chosen = offered.find(({ option }) => option.id === delivery.optionId);
  const shippingMinor = chosen?.amountMinor ?? null;
  const sum = totalsOf(settings, subtotalMinor, {
    ...(destination === undefined ? {} : { destination }),
    shippingMinor,
  });
  const untaxed: UcpTotals = {
    subtotalMinor,
    shippingMinor: null,
    taxMinor: 0,
    totalMinor: subtotalMinor,
  };
  const missing: Missing[] = [];
  if (!hasEmail(buyer)) missing.push("email");
  if (ships && !hasAddress) missing.push("address");
  if (ships && isPriceable && currency !== null && chosen === undefined) {
    missing.push(offered.length === 0 ? "deliverable" : "option");
  }
  if (!sum.ok) missing.push("payable");
  if (!missing.includes("address") && !isTaxable(settings, destination)) missing.push("taxes");
  return {
    currency,
    ...quotedLines(priced),
    ships,
    options: offered.map(({ option: { id, title, days }, amountMinor }) => ({
      id,
      title,
      amountMinor,
      days: days ?? null,
    })),
    totals: sum.ok ? sum.value : untaxed,
    terms: termsDigest(settings),
    missing,
  };
}

/** A quote without the time of its prices, which changes when the same prices are confirmed. */
function undated({ quotedAt: _, ...quote }: Quote): Omit<Quote, "quotedAt"> {
  return quote;
}

/** Whether two quotes show a buyer the same. */
export function isSameQuote(a: Quote, b: Quote): boolean {
  return JSON.stringify(undated(a)) === JSON.stringify(undated(b));
}

/** The items of a quote, as orders and payments store them. */
export function quotedItems({ lines }: Quote): readonly OrderedItem[] {
  return lines.flatMap((line) => {
    if (typeof line === "string") return [];
    const { productId: id, title, quantity, unitMinor: unit_minor } = line;
    return [{ id, title, quantity, unit_minor }];
  });
}

/** The digest of what was shown. With it the log proves that nothing else was charged. */
export function quoteDigest(quote: Quote): string {
  return hash("sha256", canonicalize(undated(quote) as unknown as JsonValue), "hex");
}
