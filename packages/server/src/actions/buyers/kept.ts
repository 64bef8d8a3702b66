import type { Cart } from "../../domain/checkouts/carts/cart.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { type OpenReason, orderEnd } from "../../domain/orders/order-end.js";
import { hasWaitingMessages } from "../../domain/outbox/store.js";
import type { Queries } from "../../infra/db/database.js";
import { HOUR_MS } from "../../infra/time.js";
import type { WholeOrder } from "../../purchase/orders/whole-order.js";

/** Why personal data is still needed. */
export const KEPT_REASONS = [
  "payment_open",
  "not_sent",
  "on_its_way",
  "money_returning",
  "notifying",
  "paying",
  "open",
] as const satisfies readonly (OpenReason | string)[];
type KeptReason = (typeof KEPT_REASONS)[number];

/** Data that is still needed, and until when at the latest; null if that is unknown. */
export interface Kept {
  readonly why: KeptReason;
  readonly until: number | null;
}

/** The last retry of a message is not later than this after the change that it reports. */
const NOTIFYING_MS_MAX = 60 * HOUR_MS;

/** When an order ended, or why its buyer is still needed. */
export type OrderState =
  | { readonly kind: "ended"; readonly endedAt: number }
  | { readonly kind: "needed"; readonly kept: Kept };

export async function orderState(db: Queries, whole: WholeOrder, now: number): Promise<OrderState> {
  const end = orderEnd(whole, now);
  if (end.endedAt === null) return { kind: "needed", kept: { why: end.why, until: end.until } };
  const { siteKeyHash, orderId } = whole.order;
  const { endedAt } = end;
  if (!(await hasWaitingMessages(db, siteKeyHash, orderId))) return { kind: "ended", endedAt };
  return { kind: "needed", kept: { why: "notifying", until: endedAt + NOTIFYING_MS_MAX } };
}

/** Why a checkout without an order is still needed; null if it has ended. */
export function checkoutKept({ status, expiresAt }: Checkout, now: number): Kept | null {
  if (status === "completing") return { why: "paying", until: null };
  return status === "open" && expiresAt > now ? { why: "open", until: expiresAt } : null;
}

/** Why a cart is still needed; null if it has ended. */
export function cartKept({ cancelledAt, expiresAt }: Cart, now: number): Kept | null {
  return cancelledAt === null && expiresAt > now ? { why: "open", until: expiresAt } : null;
}
