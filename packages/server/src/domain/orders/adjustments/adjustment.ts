import { lineIdAt } from "@gatehouse/protocol";
import type { OrderLine, OrderStatus } from "../order.js";

/** UCP's words for what becomes of goods on their way. */
export const EVENT_TYPES = [
  ...(["processing", "shipped", "in_transit", "delivered"] as const),
  ...(["failed_attempt", "undeliverable", "returned_to_sender"] as const),
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** How many of a line of an order. */
export interface LineQuantity {
  /** `li_1` for the first. */
  readonly id: string;
  readonly quantity: number;
}

/** Something that happened to goods on their way. Never changed, never taken back. */
export interface OrderEvent {
  readonly eventId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  /** Which change of the order it was. */
  readonly revision: number;
  readonly type: EventType;
  readonly lines: readonly LineQuantity[];
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly description: string | null;
  readonly occurredAt: number;
  readonly createdAt: number;
}

/** Something that changed an order afterwards, as it stands now. */
export interface Adjustment {
  /** Of money that goes back, with what the processor calls it. */
  readonly adjustmentId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  readonly kind: "refund" | "dispute" | "cancellation";
  readonly status: "pending" | "completed" | "failed";
  /** What goes back to the buyer, of the order's currency; null where that is not money. */
  readonly amountMinor: number | null;
  /** What is not part of the order any more. */
  readonly lines: readonly LineQuantity[];
  /** For whoever bought it. */
  readonly description: string | null;
  readonly occurredAt: number;
  readonly changedAt: number;
}

/** What somebody wrote down about an order, for the owner's people only. */
export interface OrderNote {
  readonly noteId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  readonly text: string;
  readonly writtenBy: string;
  readonly createdAt: number;
}

/** A line of an order, and how far it is. */
export interface LineState extends OrderLine {
  readonly lineId: string;
  /** Without what was cancelled. */
  readonly total: number;
  /** What has left the shop. */
  readonly fulfilled: number;
  /** What of that has arrived. */
  readonly delivered: number;
}

const countIn = (lineId: string, { lines }: { readonly lines: readonly LineQuantity[] }) =>
  lines.filter(({ id }) => id === lineId).reduce((sum, { quantity }) => sum + quantity, 0);

/**
 * How many of a line have left the shop, and how many of them have arrived. What was delivered without
 * having been sent has left too: a download, or something that was fetched.
 */
function movedOf(lineId: string, events: readonly OrderEvent[]) {
  let [fulfilled, delivered] = [0, 0];
  for (const event of events) {
    if (event.type === "shipped") fulfilled += countIn(lineId, event);
    if (event.type === "delivered") delivered += countIn(lineId, event);
    fulfilled = Math.max(fulfilled, delivered);
  }
  return { fulfilled, delivered };
}

/** How far each line is. */
export function lineStates(
  items: readonly OrderLine[],
  events: readonly OrderEvent[],
  adjustments: readonly Adjustment[],
): readonly LineState[] {
  const cancelled = adjustments.filter(({ kind }) => kind === "cancellation");
  return items.map((item, i) => {
    const lineId = lineIdAt(i);
    const gone = cancelled.reduce((sum, one) => sum + countIn(lineId, one), 0);
    return { ...item, lineId, total: item.quantity - gone, ...movedOf(lineId, events) };
  });
}

/** How far an order is as a whole. */
export function orderStatus(lines: readonly LineState[]): OrderStatus {
  if (lines.every(({ total }) => total === 0)) return "cancelled";
  if (lines.every(({ total, fulfilled }) => fulfilled >= total)) return "shipped";
  return lines.some(({ fulfilled }) => fulfilled > 0) ? "partly_shipped" : "open";
}

/** What may be kept of one order: what follows a sale is a handful. */
export const EVENTS_MAX = 200;
export const NOTES_MAX = 200;
