import { queryOptions } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";

type Priced = Pick<Api["Product"], "price">;

/** The currency that most of these products have; a new product most likely has it too. */
function mostUsed(products: readonly Priced[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { price } of products) {
    counts.set(price.currency, (counts.get(price.currency) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0];
}

/** The currency of new prices: the one that the owner chose, or that the first products have. */
export const usualCurrencyQuery = (path: string) =>
  queryOptions({
    queryKey: ["shop", path, "currency"],
    queryFn: async () => {
      const { currency } = await call<Api["ShopSettings"]>("GET", `${path}/shop`);
      if (currency != null) return currency;
      const { items } = await call<Page<Priced>>("GET", `${path}/products?limit=50`);
      return mostUsed(items) ?? "EUR";
    },
  });
