import type { Quote, QuotedLine } from "../../domain/checkouts/checkout.js";
import type { PricedLine, PricedLines } from "../../purchase/prices.js";

export function quotedLine({ product, quantity, amountMinor }: PricedLine): QuotedLine {
  const { productId, title, imageUrl, price } = product;
  return { productId, title, imageUrl, quantity, unitMinor: price.minor, amountMinor };
}

/** Lines at current prices, as they are shown. */
export function quotedLines({ lines }: PricedLines): Pick<Quote, "lines"> {
  return { lines: lines.map((line) => (typeof line === "string" ? line : quotedLine(line))) };
}
