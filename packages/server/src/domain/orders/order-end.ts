import { DAY_MS } from "../../infra/time.js";
import type { Adjustment, LineState, OrderEvent } from "./adjustments/adjustment.js";
import type { Order } from "./order.js";

/** After this time without news, goods that were sent count as delivered. Few shops report deliveries. */
const UNDER_WAY_MS_MAX = 30 * DAY_MS;
/** Banks can return money for this long. An order without any change since then has ended. */
const IDLE_MS_MAX = 180 * DAY_MS;

/** Why an order has not ended: its payment, its goods, or money that goes back. */
export type OpenReason = "payment_open" | "not_sent" | "on_its_way" | "money_returning";

/** The state of an order: when it ended, or why it has not, and until when at the latest. */
export type OrderEnd =
  | { readonly endedAt: number }
  | { readonly endedAt: null; readonly why: OpenReason; readonly until: number };

interface EndingOrder {
  readonly order: Order;
  readonly events: readonly OrderEvent[];
  readonly adjustments: readonly Adjustment[];
  readonly lines: readonly LineState[];
}

function lastChange({ order, events, adjustments }: EndingOrder): number {
  return Math.max(
    order.createdAt,
    order.paymentChangedAt ?? 0,
    ...events.map(({ createdAt }) => createdAt),
    ...adjustments.map(({ changedAt }) => changedAt),
  );
}

function openReason({ order, adjustments, lines }: EndingOrder): OpenReason | undefined {
  if (order.payment === "authorized") return "payment_open";
  if (adjustments.some(({ status }) => status === "pending")) return "money_returning";
  // Without money nobody waits for goods that were not sent.
  const isPaid = order.payment === "captured";
  if (isPaid && lines.some(({ total, fulfilled }) => fulfilled < total)) return "not_sent";
  return lines.some(({ fulfilled, delivered }) => delivered < fulfilled) ? "on_its_way" : undefined;
}

/** When an order has ended, so that nobody needs to know its buyer to complete it. */
export function orderEnd(whole: EndingOrder, now: number): OrderEnd {
  const changedAt = lastChange(whole);
  const why = openReason(whole);
  if (why === undefined) return { endedAt: changedAt };
  const idle = changedAt + (why === "on_its_way" ? UNDER_WAY_MS_MAX : IDLE_MS_MAX);
  // The provider says when an authorization ends, and not the clock.
  if (why === "payment_open") return { endedAt: null, why, until: whole.order.expiresAt ?? idle };
  return idle <= now ? { endedAt: idle } : { endedAt: null, why, until: idle };
}
