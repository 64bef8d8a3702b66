import type { Queries, Transaction } from "../../../infra/db/database.js";
import type { Adjustment, EventType, OrderEvent, OrderNote } from "./adjustment.js";

interface EventRow {
  event_id: string;
  site_key_hash: string;
  order_id: string;
  revision: number;
  type: EventType;
  line_items: string;
  carrier: string | null;
  tracking_number: string | null;
  tracking_url: string | null;
  description: string | null;
  occurred_at: number;
  created_at: number;
}

function eventOf(row: EventRow): OrderEvent {
  return Object.freeze({
    eventId: row.event_id,
    siteKeyHash: row.site_key_hash,
    orderId: row.order_id,
    revision: row.revision,
    type: row.type,
    lines: JSON.parse(row.line_items),
    carrier: row.carrier,
    trackingNumber: row.tracking_number,
    trackingUrl: row.tracking_url,
    description: row.description,
    occurredAt: row.occurred_at,
    createdAt: row.created_at,
  });
}

/** In the order in which they were received. */
export async function eventsOf(db: Queries, orderId: string): Promise<OrderEvent[]> {
  const sql = "SELECT * FROM order_events WHERE order_id = ? ORDER BY revision";
  return (await db.all<EventRow>(sql, orderId)).map(eventOf);
}

export async function insertEvent(tx: Transaction, event: OrderEvent): Promise<void> {
  await tx.insert("order_events", [
    {
      event_id: event.eventId,
      site_key_hash: event.siteKeyHash,
      order_id: event.orderId,
      revision: event.revision,
      type: event.type,
      line_items: JSON.stringify(event.lines),
      carrier: event.carrier,
      tracking_number: event.trackingNumber,
      tracking_url: event.trackingUrl,
      description: event.description,
      occurred_at: event.occurredAt,
      created_at: event.createdAt,
    },
  ]);
}

interface AdjustmentRow {
  order_id: string;
  adjustment_id: string;
  site_key_hash: string;
  kind: Adjustment["kind"];
  status: Adjustment["status"];
  amount_minor: number | null;
  line_items: string;
  description: string | null;
  occurred_at: number;
  changed_at: number;
}

function adjustmentOf(row: AdjustmentRow): Adjustment {
  return Object.freeze({
    orderId: row.order_id,
    adjustmentId: row.adjustment_id,
    siteKeyHash: row.site_key_hash,
    kind: row.kind,
    status: row.status,
    amountMinor: row.amount_minor,
    lines: JSON.parse(row.line_items),
    description: row.description,
    occurredAt: row.occurred_at,
    changedAt: row.changed_at,
  });
}

/** In the order in which they happened. */
export async function adjustmentsOf(db: Queries, orderId: string): Promise<Adjustment[]> {
  const sql =
    "SELECT * FROM order_adjustments WHERE order_id = ? ORDER BY occurred_at, adjustment_id";
  return (await db.all<AdjustmentRow>(sql, orderId)).map(adjustmentOf);
}

/** Inserts an adjustment or updates it. */
export async function writeAdjustment(tx: Transaction, adjustment: Adjustment): Promise<void> {
  const { status, amountMinor, description, changedAt } = adjustment;
  await tx.run(
    `INSERT INTO order_adjustments (order_id, adjustment_id, site_key_hash, kind, status,
       amount_minor, line_items, description, occurred_at, changed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (order_id, adjustment_id) DO UPDATE SET
       status = ?, amount_minor = ?, description = ?, changed_at = ?`,
    adjustment.orderId,
    adjustment.adjustmentId,
    adjustment.siteKeyHash,
    adjustment.kind,
    status,
    amountMinor,
    JSON.stringify(adjustment.lines),
    description,
    adjustment.occurredAt,
    changedAt,
    status,
    amountMinor,
    description,
    changedAt,
  );
}

interface NoteRow {
  note_id: string;
  site_key_hash: string;
  order_id: string;
  text: string;
  written_by: string;
  created_at: number;
}

export async function notesOf(db: Queries, orderId: string): Promise<OrderNote[]> {
  const sql = "SELECT * FROM order_notes WHERE order_id = ? ORDER BY created_at, note_id";
  return (await db.all<NoteRow>(sql, orderId)).map((row) => ({
    noteId: row.note_id,
    siteKeyHash: row.site_key_hash,
    orderId: row.order_id,
    text: row.text,
    writtenBy: row.written_by,
    createdAt: row.created_at,
  }));
}

export async function insertNote(tx: Transaction, note: OrderNote): Promise<void> {
  await tx.insert("order_notes", [
    {
      note_id: note.noteId,
      site_key_hash: note.siteKeyHash,
      order_id: note.orderId,
      text: note.text,
      written_by: note.writtenBy,
      created_at: note.createdAt,
    },
  ]);
}

/** Deletes notes and shipments, which may name people. What happened to the money stays. */
export async function deleteAdjustments(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM order_notes WHERE site_key_hash = ?", siteKeyHash);
  await tx.run("DELETE FROM order_events WHERE site_key_hash = ?", siteKeyHash);
  const sql = "UPDATE order_adjustments SET description = NULL WHERE site_key_hash = ?";
  await tx.run(sql, siteKeyHash);
}
