import { ok, parseAmount, type Result, refuse, type UcpTotals } from "@gatehouse/protocol";
import type { Quote, QuotedLine } from "../../domain/checkouts/checkout.js";
import {
  PERCENT,
  type ShippingOption,
  type ShopSettings,
} from "../../domain/shop-settings/shop-settings.js";
import type { Destination } from "../../purchase/buyer-place.js";
import type { PricedLine, PricedLines } from "../../purchase/prices.js";

/** A delivery option at its price. */
export interface OfferedOption {
  readonly option: ShippingOption;
  readonly amountMinor: number;
}

const ELSEWHERE = "*";
/** A percent has at most four decimals: rates are whole millionths. */
const DECIMALS = 4;
const MILLION = 1_000_000n;

/** The delivery options to a place that have a price in the currency. */
export function optionsTo(
  { shipping }: ShopSettings,
  { country }: Destination,
  currency: string,
): readonly OfferedOption[] {
  const zone =
    shipping.find(({ countries }) => countries.includes(country)) ??
    shipping.find(({ countries }) => countries.includes(ELSEWHERE));
  return (zone?.options ?? []).flatMap((option) => {
    const price = Object.hasOwn(option.prices, currency) ? option.prices[currency] : undefined;
    const amount = price === undefined ? undefined : parseAmount(price, currency);
    return amount?.ok ? [{ option, amountMinor: amount.value.minor }] : [];
  });
}

function millionths(percent: string): bigint {
  const [, whole, decimals = ""] = PERCENT.exec(percent) ?? [];
  if (whole === undefined) throw new Error("a shop was set up with a rate that is none");
  return BigInt(whole + decimals.padEnd(DECIMALS, "0"));
}

const sameWord = (a: string, b: string) => a.trim().toUpperCase() === b.trim().toUpperCase();

/**
 * The tax rate of a place: its region's, or else its country's, or zero if the table does not have the
 * country. Undefined if the table has rates of regions and not of this one.
 */
function rateAt({ taxes }: ShopSettings, { country, region }: Destination): bigint | undefined {
  const there = taxes.filter((rate) => sameWord(rate.country, country));
  const rate =
    there.find((one) => one.region !== undefined && sameWord(one.region, region ?? "")) ??
    there.find((one) => one.region === undefined);
  if (rate !== undefined) return millionths(rate.percent);
  return there.length === 0 ? 0n : undefined;
}

/** Whether the taxes of a place are known. A buyer that names no region must not escape them. */
export function isTaxable(settings: ShopSettings, destination: Destination | undefined): boolean {
  if (settings.taxes.length === 0) return true;
  return destination !== undefined && rateAt(settings, destination) !== undefined;
}

/** Rounds half a unit up. */
const rounded = (sum: bigint) => (sum + MILLION / 2n) / MILLION;

/**
 * The totals in whole units, with the tax rounded once. Shipping is taxed like the goods. Refused if the
 * sum would not be exact.
 */
export function totalsOf(
  settings: ShopSettings,
  subtotalMinor: number,
  {
    destination,
    shippingMinor = null,
  }: { destination?: Destination; shippingMinor?: number | null },
): Result<UcpTotals, "too_large"> {
  const net = BigInt(subtotalMinor) + BigInt(shippingMinor ?? 0);
  const rate = (destination && rateAt(settings, destination)) ?? 0n;
  const tax = rounded(net * rate);
  const total = Number(net + tax);
  if (!Number.isSafeInteger(total)) return refuse("too_large", "The total is too large.");
  return ok({ subtotalMinor, shippingMinor, taxMinor: Number(tax), totalMinor: total });
}

function quotedLine({ product, quantity, amountMinor }: PricedLine): QuotedLine {
  const { productId, title, imageUrl, price } = product;
  return { productId, title, imageUrl, quantity, unitMinor: price.minor, amountMinor };
}

/** Lines at current prices, as they are shown. */
export function quotedLines({ lines }: PricedLines): Pick<Quote, "lines"> {
  return { lines: lines.map((line) => (typeof line === "string" ? line : quotedLine(line))) };
}
