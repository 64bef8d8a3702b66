import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { LineQuantity } from "../../domain/orders/adjustments/adjustment.js";

/** Lines that an owner names; null for all that is left. */
export type AskedLines = readonly LineQuantity[] | null;

/** What is to be done with which lines, or why that cannot be. */
export function askedLines(
  asked: AskedLines,
  left: readonly LineQuantity[],
  done: "cancelled" | "sent" | "delivered",
): Result<readonly LineQuantity[], "conflict" | "invalid_request"> {
  if (asked === null) {
    const all = left.filter(({ quantity }) => quantity > 0);
    return all.length > 0 ? ok(all) : refuse("conflict", `Nothing is left to be ${done}.`);
  }
  const twice = asked.find(({ id }, i) => asked.findIndex((one) => one.id === id) !== i);
  if (twice !== undefined)
    return refuse("invalid_request", `line_items: ${twice.id} stands twice.`);
  for (const { id, quantity } of asked) {
    const line = left.find((one) => one.id === id);
    if (line === undefined) {
      const names = left.map((one) => one.id).join(", ");
      return refuse("invalid_request", `line_items: the order has no ${id}; it has ${names}.`);
    }
    if (quantity > line.quantity) {
      const left = line.quantity === 0 ? "Nothing" : `No more than ${line.quantity}`;
      return refuse("conflict", `${left} of ${id} can still be ${done}.`);
    }
  }
  return ok(asked);
}
