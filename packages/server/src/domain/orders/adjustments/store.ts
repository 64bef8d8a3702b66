import type { Queries, Transaction } from "../../../infra/db/database.js";
import { json, Table } from "../../../infra/db/table.js";
import type { Adjustment, OrderEvent, OrderNote } from "./adjustment.js";

const events = new Table<OrderEvent>("order_events", {
  eventId: "event_id",
  siteKeyHash: "site_key_hash",
  orderId: "order_id",
  revision: "revision",
  type: "type",
  lines: json("line_items"),
  carrier: "carrier",
  trackingNumber: "tracking_number",
  trackingUrl: "tracking_url",
  description: "description",
  occurredAt: "occurred_at",
  createdAt: "created_at",
});

/** In the order in which they were received. */
export function eventsOf(db: Queries, orderId: string): Promise<OrderEvent[]> {
  return events.all(db, "WHERE order_id = ? ORDER BY revision", orderId);
}

export function insertEvent(tx: Transaction, event: OrderEvent): Promise<void> {
  return events.insert(tx, [event]);
}

const adjustments = new Table<Adjustment>("order_adjustments", {
  orderId: "order_id",
  adjustmentId: "adjustment_id",
  siteKeyHash: "site_key_hash",
  kind: "kind",
  status: "status",
  amountMinor: "amount_minor",
  lines: json("line_items"),
  description: "description",
  shopEventId: "shop_event_id",
  occurredAt: "occurred_at",
  changedAt: "changed_at",
});

/** In the order in which they happened. */
export function adjustmentsOf(db: Queries, orderId: string): Promise<Adjustment[]> {
  return adjustments.all(db, "WHERE order_id = ? ORDER BY occurred_at, adjustment_id", orderId);
}

/** Inserts an adjustment or updates it. */
export function writeAdjustment(tx: Transaction, adjustment: Adjustment): Promise<void> {
  return adjustments.upsert(tx, adjustment, {
    key: ["order_id", "adjustment_id"],
    changed: ["status", "amount_minor", "description", "changed_at"],
  });
}

const notes = new Table<OrderNote>("order_notes", {
  noteId: "note_id",
  siteKeyHash: "site_key_hash",
  orderId: "order_id",
  text: "text",
  writtenBy: "written_by",
  createdAt: "created_at",
});

export function notesOf(db: Queries, orderId: string): Promise<OrderNote[]> {
  return notes.all(db, "WHERE order_id = ? ORDER BY created_at, note_id", orderId);
}

export function insertNote(tx: Transaction, note: OrderNote): Promise<void> {
  return notes.insert(tx, [note]);
}

/**
 * Erases the words of an order that may name its buyer: notes, tracking, messages, and the owner's reasons for
 * refunds. A provider's own words about refunds and disputes stay. Returns how many notes there were.
 */
export async function eraseOrderWords(
  tx: Transaction,
  orderId: string,
  reasons: readonly string[],
): Promise<number> {
  await tx.run(
    `UPDATE order_events SET tracking_number = NULL, tracking_url = NULL, description = NULL
     WHERE order_id = ?`,
    orderId,
  );
  await tx.run(
    "UPDATE order_adjustments SET description = NULL WHERE order_id = ? AND kind = 'cancellation'",
    orderId,
  );
  const words =
    "UPDATE order_adjustments SET description = NULL WHERE order_id = ? AND description = ?";
  for (const reason of reasons) await tx.run(words, orderId, reason);
  return tx.run("DELETE FROM order_notes WHERE order_id = ?", orderId);
}

/** Deletes notes and shipments, which may name people. What happened to the money stays. */
export async function deleteAdjustments(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM order_notes WHERE site_key_hash = ?", siteKeyHash);
  await tx.run("DELETE FROM order_events WHERE site_key_hash = ?", siteKeyHash);
  const sql = "UPDATE order_adjustments SET description = NULL WHERE site_key_hash = ?";
  await tx.run(sql, siteKeyHash);
}
