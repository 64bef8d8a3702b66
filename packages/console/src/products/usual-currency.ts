import { queryOptions } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";

type Priced = Pick<Api["Product"], "price">;

/** The currency that most of these products have; a new product most likely has it too. */
export function usualCurrency(products: readonly Priced[]): string {
  const counts = new Map<string, number>();
  for (const { price } of products) {
    counts.set(price.currency, (counts.get(price.currency) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? "EUR";
}

/** The usual currency of a site, from its first products. */
export const usualCurrencyQuery = (path: string) =>
  queryOptions({
    queryKey: ["products", path, "currency"],
    queryFn: async () => {
      const { items } = await call<Page<Priced>>("GET", `${path}/products?limit=50`);
      return usualCurrency(items);
    },
  });
