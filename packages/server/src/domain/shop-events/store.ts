import type { JsonObject } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { countRows, deleterOf } from "../../infra/db/statements.js";
import { jsonOrNull, Table } from "../../infra/db/table.js";
import { DAY_MS } from "../../infra/time.js";

/** A change of an order that a shop system has reported. */
export interface ShopEvent {
  readonly siteKeyHash: string;
  readonly connectionId: string;
  readonly eventId: string;
  readonly orderId: string;
  /** Of what the event asks for. */
  readonly changeDigest: string;
  /** What was answered; null while a payment provider has not answered. */
  readonly answer: JsonObject | null;
  readonly receivedAt: number;
}

/** Longer than any shop system sends an event again. */
export const SHOP_EVENT_KEPT_MS = 90 * DAY_MS;

const events = new Table<ShopEvent>("shop_order_events", {
  siteKeyHash: "site_key_hash",
  connectionId: "connection_id",
  eventId: "event_id",
  orderId: "order_id",
  changeDigest: "change_digest",
  answer: jsonOrNull<JsonObject>("answer"),
  receivedAt: "received_at",
});

export function shopEvent(
  db: Queries,
  { connectionId, eventId }: Pick<ShopEvent, "connectionId" | "eventId">,
): Promise<ShopEvent | undefined> {
  return events.get(db, "WHERE connection_id = ? AND event_id = ?", connectionId, eventId);
}

/**
 * The event that an earlier connection of the site reported, if the shop system reports the same change again because
 * it missed the answer. Another connection may use the same id for another change.
 */
export function earlierShopEvent(
  db: Queries,
  { siteKeyHash, eventId, orderId, changeDigest }: ShopEvent,
): Promise<ShopEvent | undefined> {
  const rest = `WHERE order_id = ? AND site_key_hash = ? AND event_id = ? AND change_digest = ?
    ORDER BY received_at DESC LIMIT 1`;
  return events.get(db, rest, orderId, siteKeyHash, eventId, changeDigest);
}

export function countEventsOf(db: Queries, orderId: string): Promise<number> {
  return countRows(db, "shop_order_events WHERE order_id = ?", orderId);
}

/** Writes an event, or its answer. */
export function writeShopEvent(db: Queries, event: ShopEvent): Promise<void> {
  return events.upsert(db, event, { key: ["connection_id", "event_id"], changed: ["answer"] });
}

export async function deleteOldShopEvents(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM shop_order_events WHERE received_at < ?", before);
}

export const deleteShopEvents = deleterOf("shop_order_events");
