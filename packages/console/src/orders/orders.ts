import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { choicesOf } from "../ui/words.js";

export type Order = Api["Order"];
export type ListedOrder = Api["ListedOrder"];
export type ShownOrder = Api["ShownOrder"];

/** The states that a list can be limited to. */
export const ORDER_STATES = {
  ...choicesOf("open", "partly_shipped", "shipped", "cancelled", "refunded", "partly_refunded"),
  open: "To send",
};
export const PAYMENT_STATES = choicesOf("authorized", "captured", "released", "lapsed");

/** An order as people call it. */
export const orderName = ({ number }: Pick<Order, "number">) => `#${number}`;

type Money = Pick<Order, "payment" | "amount" | "captured_minor" | "refunded_minor">;

/** The word for the state of a payment: captured money may have gone back. */
export function paymentState({ payment, amount, captured_minor, refunded_minor }: Money): string {
  if (refunded_minor === 0) return payment;
  return refunded_minor >= (captured_minor ?? amount.minor) ? "refunded" : "partly_refunded";
}

type State = Pick<ListedOrder, "status" | "is_test"> & Money;

/** The word for the state of an order. An open order is one to send, unless all its money went back. */
export function orderState(order: State): string {
  const { status } = order;
  const isLeft = status === "open" || status === "partly_shipped";
  if (isLeft && paymentState(order) === "refunded") return "refunded";
  return status === "open" ? "to_send" : status;
}

/** Whether an order can be marked as sent. A test order can too, to try what agents then read. */
export const canMarkSent = (order: State) =>
  ["to_send", "partly_shipped"].includes(orderState(order));

/** Whether something of an order is left to be sent. */
export const isToSend = (order: State) => !order.is_test && canMarkSent(order);

export const orderPath = (path: string, id: string) => `${path}/orders/${encodeURIComponent(id)}`;

export const orderQuery = (siteKeyHash: string, path: string, id: string) =>
  queryOptions({
    queryKey: ["orders", siteKeyHash, id],
    queryFn: () => call<ShownOrder>("GET", orderPath(path, id)),
  });
