import { type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Actor, RecordDraft } from "../../domain/audit/drafts.js";
import type { LineQuantity } from "../../domain/orders/adjustments/adjustment.js";
import type { Order } from "../../domain/orders/order.js";
import type { Transaction } from "../../infra/db/database.js";

/** The lines that an owner names; null for everything that is left. */
export type RequestedLines = readonly LineQuantity[] | null;

/** Checks the requested lines against what is left, and returns the lines to change. */
export function checkRequestedLines(
  requested: RequestedLines,
  left: readonly LineQuantity[],
  done: "cancelled" | "sent" | "delivered",
): Result<readonly LineQuantity[], "conflict" | "invalid_request"> {
  if (requested === null) {
    const all = left.filter(({ quantity }) => quantity > 0);
    return all.length > 0 ? ok(all) : refuse("conflict", `Nothing is left to be ${done}.`);
  }
  const repeated = requested.find(({ id }, i) => requested.findIndex((one) => one.id === id) !== i);
  if (repeated !== undefined)
    return refuse("invalid_request", `line_items: has ${repeated.id} twice.`);
  for (const { id, quantity } of requested) {
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
  return ok(requested);
}

/** A shipment or cancellation of lines of an order. */
interface LineChange {
  readonly kind: "fulfillment" | "cancellation";
  readonly id: string;
  readonly lines: readonly LineQuantity[];
  /** The type of the shipping event. */
  readonly event?: string;
  /** `requested` if the authorization is voided too. */
  readonly release?: string | undefined;
}

/** The record contains no address and no tracking data. */
export function lineChangeRecord(
  { attemptId, orderId }: Order,
  actor: Actor,
  { kind, id, lines, event, release }: LineChange,
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

/** The event of the shop system that a change of an order comes from. */
export interface ShopOrigin {
  readonly eventId: string;
  /** Writes the event in the transaction of the change, so that a repeated event finds that it was carried out. */
  write(tx: Transaction): Promise<void>;
}

const ERASED = "The personal data of this order was erased. You can no longer add text to it.";

/** Refuses words that could name the buyer of an erased order, because nothing would erase them again. */
export function checkFreeWords(
  { erasedAt }: Pick<Order, "erasedAt">,
  ...words: readonly (string | null)[]
): Result<null, "conflict"> {
  const isRefused = erasedAt !== null && words.some((word) => word !== null);
  return isRefused ? refuse("conflict", ERASED) : ok(null);
}
