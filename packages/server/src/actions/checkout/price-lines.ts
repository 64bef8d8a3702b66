import type { LineFault } from "../../domain/checkouts/checkout.js";
import type { WantedLine } from "../../domain/checkouts/platform.js";
import type { Product } from "../../domain/products/product.js";
import { productById } from "../../domain/products/store.js";
import type { Queries } from "../../infra/db/database.js";

export const LINES_MAX = 50;
export const LINE_QUANTITY_MAX = 1000;

/** A line at the current price. */
export interface PricedLine {
  readonly product: Product;
  readonly quantity: number;
  readonly amountMinor: number;
}

export interface PricedLines {
  /** In the order of the request: each with its price, or why it has none. */
  readonly lines: readonly (PricedLine | LineFault)[];
  /** Of the lines that have a price; null if none has. */
  readonly currency: string | null;
  readonly subtotalMinor: number;
}

/** Whether enough of a product can be sold now. */
function stockFault(
  { availability, quantity, reserved }: Product,
  wanted: number,
): LineFault | undefined {
  if (availability === "out_of_stock") return "unavailable";
  if (quantity === null) return undefined;
  return quantity - reserved >= wanted ? undefined : "out_of_stock";
}

/** A sum of minor units as a number; undefined if it would not be exact. */
function exactly(sum: bigint): number | undefined {
  const number = Number(sum);
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Prices lines from a site's products, as the transaction sees them. Every protocol's prices come from
 * here. Anybody can ask for a quote, so a quote does not reveal how many are in stock.
 */
export async function priceLines(
  db: Queries,
  siteKeyHash: string,
  wanted: readonly WantedLine[],
  purpose: "order" | "quote",
): Promise<PricedLines> {
  const taken = new Map<string, number>();
  let currency: string | null = null;
  let subtotal = 0n;
  const lines: (PricedLine | LineFault)[] = [];
  for (const { productId, quantity } of wanted) {
    const product = await productById(db, siteKeyHash, productId);
    if (product === undefined) {
      lines.push("not_found");
      continue;
    }
    const all = (taken.get(productId) ?? 0) + quantity;
    if (quantity > LINE_QUANTITY_MAX) {
      lines.push("too_many");
      continue;
    }
    const { price } = product;
    const amountMinor = exactly(BigInt(price.minor) * BigInt(quantity));
    const fault = stockFault(product, purpose === "quote" ? 1 : all);
    if (fault !== undefined) {
      lines.push(fault);
    } else if (currency !== null && currency !== price.currency) {
      lines.push("other_currency");
    } else if (amountMinor === undefined || exactly(subtotal + BigInt(amountMinor)) === undefined) {
      lines.push("too_large");
    } else {
      currency = price.currency;
      subtotal += BigInt(amountMinor);
      taken.set(productId, all);
      lines.push({ product, quantity, amountMinor });
    }
  }
  return { lines, currency, subtotalMinor: Number(subtotal) };
}
