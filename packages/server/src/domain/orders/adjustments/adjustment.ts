import { lineIdAt } from "@gatehouse/protocol";
import type { OrderLine, OrderStatus } from "../order.js";

/** The event types of UCP for goods on their way. */
export const EVENT_TYPES = [
  "processing",
  "shipped",
  "in_transit",
  "delivered",
  "failed_attempt",
  "undeliverable",
  "returned_to_sender",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A line of an order and a quantity. */
export interface LineQuantity {
  /** `li_1` for the first line. */
  readonly id: string;
  readonly quantity: number;
}

/** An event of a shipment. Events are never changed or deleted. */
export interface OrderEvent {
  readonly eventId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  /** The revision of the order that the event made. */
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

/** A later change of an order, in its current state. */
export interface Adjustment {
  /** The provider's id, for a refund. */
  readonly adjustmentId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  readonly kind: "refund" | "dispute" | "cancellation";
  readonly status: "pending" | "completed" | "failed";
  /** The amount that the buyer gets back, in the order's currency; null if no money goes back. */
  readonly amountMinor: number | null;
  /** The lines and quantities that are no longer part of the order. */
  readonly lines: readonly LineQuantity[];
  /** Shown to the buyer. */
  readonly description: string | null;
  /** The event of the shop system that asked for a refund; null for any other change. */
  readonly shopEventId: string | null;
  readonly occurredAt: number;
  readonly changedAt: number;
}

/** A note about an order that only the owner's people can read. */
export interface OrderNote {
  readonly noteId: string;
  readonly siteKeyHash: string;
  readonly orderId: string;
  readonly text: string;
  readonly writtenBy: string;
  readonly createdAt: number;
}

/** A line of an order and its progress. */
export interface LineState extends OrderLine {
  readonly lineId: string;
  /** The quantity without cancelled items. */
  readonly total: number;
  /** The quantity that left the shop. */
  readonly fulfilled: number;
  /** The part of `fulfilled` that arrived. */
  readonly delivered: number;
}

const countIn = (lineId: string, { lines }: { readonly lines: readonly LineQuantity[] }) =>
  lines.filter(({ id }) => id === lineId).reduce((sum, { quantity }) => sum + quantity, 0);

/**
 * How many items of a line left the shop, and how many arrived. Items that were delivered without a
 * shipment left too, such as downloads and collected items.
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

export function lineStates(
  items: readonly OrderLine[],
  events: readonly OrderEvent[],
  adjustments: readonly Adjustment[],
): readonly LineState[] {
  const cancelled = adjustments.filter(({ kind }) => kind === "cancellation");
  return items.map((item, i) => {
    const lineId = lineIdAt(i);
    const cancelledCount = cancelled.reduce((sum, one) => sum + countIn(lineId, one), 0);
    return { ...item, lineId, total: item.quantity - cancelledCount, ...movedOf(lineId, events) };
  });
}

/** The status of an order as a whole. */
export function orderStatus(lines: readonly LineState[]): OrderStatus {
  if (lines.every(({ total }) => total === 0)) return "cancelled";
  if (lines.every(({ total, fulfilled }) => fulfilled >= total)) return "shipped";
  return lines.some(({ fulfilled }) => fulfilled > 0) ? "partly_shipped" : "open";
}

/** What has gone back to the buyer by refunds. Money that a bank took back is not among it. */
export function refundedOf(adjustments: readonly Adjustment[]): number {
  return adjustments
    .filter(({ kind, status }) => kind === "refund" && status === "completed")
    .reduce((sum, { amountMinor }) => sum + (amountMinor ?? 0), 0);
}

/** Far above what a real order needs. */
export const EVENTS_MAX = 200;
export const NOTES_MAX = 200;
