import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { choicesOf } from "../ui/words.js";

export type Order = Api["Order"];
export type ShownOrder = Api["ShownOrder"];

export const ORDER_STATES = {
  ...choicesOf("open", "partly_shipped", "shipped", "cancelled"),
  open: "To send",
};

/** The word for the state of an order: an open order is one to send. */
export function orderState({ status }: Pick<Order, "status">): string {
  return status === "open" ? "to_send" : status;
}
export const PAYMENT_STATES = choicesOf("authorized", "captured", "released", "lapsed");

export const orderPath = (path: string, id: string) => `${path}/orders/${encodeURIComponent(id)}`;

export const orderQuery = (siteKeyHash: string, path: string, id: string) =>
  queryOptions({
    queryKey: ["orders", siteKeyHash, id],
    queryFn: () => call<ShownOrder>("GET", orderPath(path, id)),
  });
