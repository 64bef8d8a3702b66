import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import {
  EVENTS_MAX,
  type EventType,
  type LineQuantity,
  type OrderEvent,
} from "../../domain/orders/adjustments/adjustment.js";
import { insertEvent } from "../../domain/orders/adjustments/store.js";
import type { ReportedShipment } from "../../domain/orders/planned/planned-shipment.js";
import { lockOrder } from "../../domain/orders/store.js";
import {
  checkFreeWords,
  checkRequestedLines,
  lineChangeRecord,
  type ShopOrigin,
} from "../../purchase/orders/line-change.js";
import { notifyOfOrder } from "../../purchase/orders/notify-of-order.js";
import { revise, type WholeOrder, wholeOrder } from "../../purchase/orders/whole-order.js";

/** An event of a shipment, as the owner reports it. */
export interface Shipment extends ReportedShipment {
  /** Writes where it comes from in the same transaction, so that it is carried out once. */
  readonly origin?: Pick<ShopOrigin, "write"> | undefined;
}

export type ShipFault = "not_found" | "conflict" | "invalid_request";

export const NO_ORDER = refuse("not_found", "The site has no such order.");

/** How far the clock of the owner may be ahead. */
const AHEAD_MS_MAX = 300_000;

/**
 * The quantities that an event can still apply to. What is left can be sent, and what was sent can be on its
 * way. Lines that were never sent can be delivered if the owner names them: the buyer collected them.
 */
function leftFor(
  type: EventType,
  isNamed: boolean,
  { lines }: WholeOrder,
): readonly LineQuantity[] {
  return lines.map(({ lineId: id, total, fulfilled, delivered }) => {
    if (type === "shipped" || type === "processing") return { id, quantity: total - fulfilled };
    if (type === "delivered") return { id, quantity: (isNamed ? total : fulfilled) - delivered };
    return { id, quantity: fulfilled };
  });
}

function timeFault({ createdAt }: { readonly createdAt: number }, at: number, now: number) {
  if (at > now + AHEAD_MS_MAX) return "occurred_at: must not be in the future.";
  return at < createdAt ? "occurred_at: must not be before the order." : undefined;
}

/** Checks whether an event can be written now, and returns the lines that it applies to. */
export function checkShipment(
  before: WholeOrder,
  { lines, occurredAt, ...shipment }: Shipment,
  now: number,
): Result<readonly LineQuantity[], ShipFault> {
  const { type, trackingNumber, trackingUrl, description } = shipment;
  const words = checkFreeWords(before.order, trackingNumber, trackingUrl, description);
  if (!words.ok) return words;
  const fault = timeFault(before.order, occurredAt ?? now, now);
  if (fault !== undefined) return refuse("invalid_request", fault);
  if (before.events.length >= EVENTS_MAX) {
    return refuse("conflict", "The order has too many events.");
  }
  const word = type === "delivered" ? "delivered" : "sent";
  return checkRequestedLines(lines, leftFor(type, lines !== null, before), word);
}

/** Writes an event of a shipment and notifies the platform and the buyer. */
export async function shipOrder(
  context: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  reported: Shipment,
  actor: Actor,
): Promise<Result<WholeOrder, ShipFault>> {
  const { audit, clock, ids } = context;
  const { lines: _, occurredAt: at, origin, ...shipment } = reported;
  const { type } = shipment;
  const { answer } = await audit.commit<Result<WholeOrder, ShipFault>>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const order = await lockOrder(tx, siteKeyHash, orderId);
    if (order === undefined) return { records: [], answer: NO_ORDER };
    const lines = checkShipment(await wholeOrder(tx, order), reported, now);
    if (!lines.ok) return { records: [], answer: lines };
    const eventId = ids.timeId("evt", now);
    const event: OrderEvent = {
      eventId,
      siteKeyHash,
      orderId,
      revision: order.revision + 1,
      lines: lines.value,
      ...shipment,
      occurredAt: at ?? now,
      createdAt: now,
    };
    await insertEvent(tx, event);
    await origin?.write(tx);
    const whole = await revise(tx, order);
    const topic = type === "shipped" ? "order.shipped" : "order.fulfillment";
    await notifyOfOrder(context, tx, whole, { topic, now, shipment: event });
    const change = { kind: "fulfillment", id: eventId, lines: lines.value, event: type } as const;
    return { records: [lineChangeRecord(order, actor, change, now)], answer: ok(whole) };
  });
  return answer;
}
