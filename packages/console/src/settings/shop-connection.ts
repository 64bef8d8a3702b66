import { queryOptions } from "@tanstack/react-query";
import { type Api, call, Refused } from "../api/client.js";

export type ShopConnection = Api["ShopConnection"];

/** The connection to a shop system; null if there is none. */
export const shopConnectionQuery = (path: string) =>
  queryOptions({
    queryKey: ["shop-connection", path],
    queryFn: () =>
      call<ShopConnection>("GET", `${path}/shop-connection`).catch((error: unknown) => {
        if (error instanceof Refused && error.status === 404) return null;
        throw error;
      }),
  });
