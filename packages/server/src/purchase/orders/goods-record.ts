import type { JsonObject } from "@gatehouse/protocol";
import type { Actor, RecordDraft } from "../../domain/audit/drafts.js";
import type { LineQuantity } from "../../domain/orders/adjustments/adjustment.js";
import type { Order } from "../../domain/orders/order.js";

/** What an owner's people did with the goods of an order. */
interface GoodsChange {
  readonly kind: "fulfillment" | "cancellation";
  readonly id: string;
  readonly lines: readonly LineQuantity[];
  /** What became of them on their way. */
  readonly event?: string;
  /** Whether the authorization is given up with them. */
  readonly release?: string | undefined;
}

/** A record of it. Where a parcel is, and for whom, stays out of the log. */
export function goodsRecord(
  { attemptId, orderId }: Order,
  actor: Actor,
  { kind, id, lines, event, release }: GoodsChange,
  now: number,
): RecordDraft {
  const content: JsonObject = {
    actor: { ...actor },
    attempt_id: attemptId,
    order_id: orderId,
    adjustment: {
      kind,
      id,
      lines: lines.map((line) => ({ id: line.id, quantity: line.quantity })),
      ...(event === undefined ? {} : { event }),
      ...(release === undefined ? {} : { release }),
    },
  };
  return { type: "order.adjustment", occurredAt: now, content };
}
