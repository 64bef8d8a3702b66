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
import { lockOrder } from "../../domain/orders/store.js";
import {
  checkRequestedLines,
  lineChangeRecord,
  type RequestedLines,
} from "../../purchase/orders/line-change.js";
import { notifyOfOrder } from "../../purchase/orders/notify-of-order.js";
import { revise, type WholeOrder, wholeOrder } from "../../purchase/orders/whole-order.js";

/** Something that happened to goods on their way, as an owner tells it. */
export interface Shipment
  extends Pick<OrderEvent, "type" | "carrier" | "trackingNumber" | "trackingUrl" | "description"> {
  /** All that it can be about where it says nothing. */
  readonly lines: RequestedLines;
  /** Now where it says nothing. */
  readonly occurredAt: number | null;
}

export type ShipFault = "not_found" | "conflict" | "invalid_request";

/** Clocks differ; what has not happened yet cannot be told. */
const AHEAD_MS_MAX = 300_000;

/**
 * What an event can still be about. Sent is what is left; on its way is what was sent. Delivered may be
 * what was never sent, where somebody says which: it was fetched.
 */
function leftFor(type: EventType, named: boolean, { lines }: WholeOrder): readonly LineQuantity[] {
  return lines.map(({ lineId: id, total, fulfilled, delivered }) => {
    if (type === "shipped" || type === "processing") return { id, quantity: total - fulfilled };
    if (type === "delivered") return { id, quantity: (named ? total : fulfilled) - delivered };
    return { id, quantity: fulfilled };
  });
}

function timeFault({ createdAt }: { readonly createdAt: number }, at: number, now: number) {
  if (at > now + AHEAD_MS_MAX) return "occurred_at: tell it once it has happened.";
  return at < createdAt ? "occurred_at: it is before the order." : undefined;
}

/** Notes that goods were sent, or how far they got, and tells whoever bought them. */
export async function shipOrder(
  context: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  { lines: asked, occurredAt: at, ...shipment }: Shipment,
  actor: Actor,
): Promise<Result<WholeOrder, ShipFault>> {
  const { audit, clock, ids } = context;
  const { answer } = await audit.commit<Result<WholeOrder, ShipFault>>(siteKeyHash, async (tx) => {
    const no = (reason: ShipFault, detail: string) => ({
      records: [],
      answer: refuse(reason, detail),
    });
    const now = clock.now();
    const held = await lockOrder(tx, siteKeyHash, orderId);
    if (held === undefined) return no("not_found", "The site has no such order.");
    const fault = timeFault(held, at ?? now, now);
    if (fault !== undefined) return no("invalid_request", fault);
    const before = await wholeOrder(tx, held);
    if (before.events.length >= EVENTS_MAX) return no("conflict", "That were too many events.");
    const { type } = shipment;
    const word = type === "delivered" ? "delivered" : "sent";
    const lines = checkRequestedLines(asked, leftFor(type, asked !== null, before), word);
    if (!lines.ok) return { records: [], answer: lines };
    const eventId = ids.timeId("evt", now);
    const event: OrderEvent = {
      eventId,
      siteKeyHash,
      orderId,
      revision: held.revision + 1,
      lines: lines.value,
      ...shipment,
      occurredAt: at ?? now,
      createdAt: now,
    };
    await insertEvent(tx, event);
    const whole = await revise(tx, held);
    const topic = type === "shipped" ? "order.shipped" : "order.fulfillment";
    await notifyOfOrder(context, tx, whole, { topic, now, shipment: event });
    const change = { kind: "fulfillment", id: eventId, lines: lines.value, event: type } as const;
    return { records: [lineChangeRecord(held, actor, change, now)], answer: ok(whole) };
  });
  return answer;
}
