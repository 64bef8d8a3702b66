import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { choicesOf } from "../ui/words.js";

export type Order = Api["Order"];
export type ShownOrder = Api["ShownOrder"];

export const ORDER_STATES = choicesOf("open", "partly_shipped", "shipped", "cancelled");
export const PAYMENT_STATES = choicesOf("authorized", "captured", "released", "lapsed");

export const orderPath = (path: string, id: string) => `${path}/orders/${encodeURIComponent(id)}`;

export const orderQuery = (siteKeyHash: string, path: string, id: string) =>
  queryOptions({
    queryKey: ["orders", siteKeyHash, id],
    queryFn: () => call<ShownOrder>("GET", orderPath(path, id)),
  });
