import { queryOptions } from "@tanstack/react-query";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import type { Shop } from "./draft.js";

/** The settings of a shop, which apply at checkout. */
export const shopQuery = (path: string) =>
  queryOptions({
    queryKey: ["shop", path],
    queryFn: () => call<Shop>("GET", `${path}/shop`),
  });

/** Saves some of the settings and keeps the others. */
export function useShopSave(shop: Shop, change: () => Promise<Partial<Shop>>) {
  const { path } = useSite();
  return useSave(
    async () => call("PUT", `${path}/shop`, { ...shop, ...(await change()) }),
    "shop",
    "processor",
  );
}
