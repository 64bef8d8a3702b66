import { queryOptions } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";

export type Site = Api["Site"];

/** Sites of whoever is signed in; the first hundred, by their domain. */
export const sitesQuery = queryOptions({
  queryKey: ["sites"],
  queryFn: async () => {
    const { items } = await call<Page<Site>>("GET", "/v1/admin/sites?limit=100");
    return items.toSorted((a, b) => a.domain.localeCompare(b.domain));
  },
});
