import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Order } from "../../domain/orders/order.js";

const ERASED = "The personal data of this order was erased. You can no longer add text to it.";

/** Refuses words that could name the buyer of an erased order, because nothing would erase them again. */
export function checkFreeWords(
  { erasedAt }: Pick<Order, "erasedAt">,
  ...words: readonly (string | null)[]
): Result<null, "conflict"> {
  const isRefused = erasedAt !== null && words.some((word) => word !== null);
  return isRefused ? refuse("conflict", ERASED) : ok(null);
}
