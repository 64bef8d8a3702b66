import type { ShopOrder } from "@gatehouse/server/connector";

/** The next revision of an order, in which this quantity of each line is cancelled. */
export function withCancelled(order: ShopOrder, cancelled: number): ShopOrder {
  const lines = order.lines.map((line) => ({ ...line, cancelled }));
  const isWhole = lines.every(({ quantity }) => quantity === cancelled);
  const state = isWhole ? "released" : order.payment.state;
  const payment = { ...order.payment, state };
  return { ...order, revision: order.revision + 1, lines, payment };
}

/** The order, cancelled with a revision that is higher than any before. */
export function cancelled(order: ShopOrder): ShopOrder {
  return withCancelled(order, order.lines[0]?.quantity ?? 0);
}
