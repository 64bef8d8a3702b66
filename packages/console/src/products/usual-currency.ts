import type { Api } from "../api/client.js";

/** The currency of most products, as a default for new ones. */
export function usualCurrency(products: readonly Pick<Api["Product"], "price">[]): string {
  const counts = new Map<string, number>();
  for (const { price } of products) {
    counts.set(price.currency, (counts.get(price.currency) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? "EUR";
}
