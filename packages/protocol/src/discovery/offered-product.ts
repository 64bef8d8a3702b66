import { formatAmount, type Money } from "../money/amount.js";
import { markdownText, markdownUrl } from "./text.js";

/** A product as the pages for agents show it. */
export interface OfferedProduct {
  readonly id: string;
  readonly title: string;
  readonly price: Money;
  /** Its page in the shop, where a person buys it; null if it has none. */
  readonly url: string | null;
  /** Its picture. Pages show it at an https: address, or at the service's own. */
  readonly imageUrl?: string | null;
  readonly availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder";
  readonly brand?: string | null;
  readonly gtin?: string | null;
  readonly mpn?: string | null;
  /** The number under which the shop keeps it. */
  readonly sku?: string | null;
}

/**
 * A price as it is written on pages for agents.
 *
 * @example
 * priceText({ minor: 1250, currency: "EUR" }); //=> "12.50 EUR"
 */
export const priceText = (price: Money): string => `${formatAmount(price)} ${price.currency}`;

/** Products as lines of Markdown, each with the id that tools take. */
export function productLines(products: readonly OfferedProduct[]): readonly string[] {
  return products.map(({ id, title, price, url }) => {
    const name = markdownText(title);
    const buy = url === null ? "" : ` [Buy here](${markdownUrl(url)})`;
    return `- ${name} (${markdownText(id)}): ${priceText(price)}.${buy}`;
  });
}
