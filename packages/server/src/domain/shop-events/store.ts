import type { JsonObject } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { jsonOrNull, Table } from "../../infra/db/table.js";
import { DAY_MS } from "../../infra/time.js";

/** A change of an order that a shop system has reported. */
export interface ShopEvent {
  readonly siteKeyHash: string;
  readonly eventId: string;
  readonly orderId: string;
  /** What was answered; null while a payment provider has not answered. */
  readonly answer: JsonObject | null;
  readonly receivedAt: number;
}

/** Longer than any shop system sends an event again. */
export const SHOP_EVENT_KEPT_MS = 90 * DAY_MS;

const events = new Table<ShopEvent>("shop_order_events", {
  siteKeyHash: "site_key_hash",
  eventId: "event_id",
  orderId: "order_id",
  answer: jsonOrNull<JsonObject>("answer"),
  receivedAt: "received_at",
});

export const shopEvent = events.ofSiteBy("event_id");

/** Writes an event, or its answer. */
export function writeShopEvent(db: Queries, event: ShopEvent): Promise<void> {
  return events.upsert(db, event, { key: ["site_key_hash", "event_id"], changed: ["answer"] });
}

export async function deleteOldShopEvents(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM shop_order_events WHERE received_at < ?", before);
}

export const deleteShopEvents = deleterOf("shop_order_events");
