import { hash } from "node:crypto";
import { canonicalize, type JsonObject, type JsonValue, type UcpTotals } from "@gatehouse/protocol";
import { isBuyerAddress } from "../../domain/buyers/address.js";
import {
  type CheckoutContent,
  chosenAddress,
  type Missing,
  type Quote,
  type QuotedLine,
} from "../../domain/checkouts/checkout.js";
import type { OrderedItem } from "../../domain/payments/payment.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Queries } from "../../infra/db/database.js";
import { type PricedLine, type PricedLines, priceLines } from "../../purchase/request.js";
import { type Destination, isTaxable, optionsTo, totalsOf } from "./totals.js";

/** What an address needs besides a name and a country. */
const ADDRESS = ["street_address", "address_locality"];
const NAMES = ["first_name", "last_name"];
const COUNTRY = /^[A-Za-z]{2}$/;

const isText = (value: JsonValue | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";

/** Where a buyer is, if the request names it. */
export function destinationIn(place: JsonObject): Destination | undefined {
  const { address_country: country, address_region: region } = place;
  if (!isText(country)) return undefined;
  return { country: country.toUpperCase(), region: isText(region) ? region : undefined };
}

/** Whether an address is complete enough to send something to it. */
function isComplete(address: JsonObject | undefined, buyer: JsonObject): boolean {
  if (address === undefined || !ADDRESS.every((name) => isText(address[name]))) return false;
  const named = NAMES.some((name) => isText(address[name]) || isText(buyer[name]));
  return named && COUNTRY.test(String(address.address_country ?? ""));
}

function quotedLine({ product, quantity, amountMinor }: PricedLine): QuotedLine {
  const { productId, title, imageUrl, price } = product;
  return { productId, title, imageUrl, quantity, unitMinor: price.minor, amountMinor };
}

/** Lines at current prices, as they are shown. */
export function quotedLines({ lines }: PricedLines): Pick<Quote, "lines"> {
  return { lines: lines.map((line) => (typeof line === "string" ? line : quotedLine(line))) };
}

/** Prices everything that a platform is shown: lines, delivery options, taxes and totals. */
export async function quoteFor(
  db: Queries,
  siteKeyHash: string,
  { lines: requested, buyer, context, delivery }: CheckoutContent,
  purpose: "order" | "quote",
): Promise<Quote> {
  const settings = await shopSettings(db, siteKeyHash);
  const priced = await priceLines(db, siteKeyHash, requested, purpose);
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
  if (!isText(buyer.email) || !isBuyerAddress(buyer.email)) missing.push("email");
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
    terms: settings.terms === null ? null : hash("sha256", settings.terms.text, "hex"),
    missing,
  };
}

/** Whether two quotes show a buyer the same. */
export function isSameQuote(a: Quote, b: Quote): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
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
  return hash("sha256", canonicalize(quote as unknown as JsonValue), "hex");
}
