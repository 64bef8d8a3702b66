import type { Queries, Transaction } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";

/** Providers repeat an event for three days, and nobody does after a week. */
export const EVENT_KEPT_MS = 7 * DAY_MS;

export async function eventSeen(
  db: Queries,
  siteKeyHash: string,
  eventId: string,
): Promise<boolean> {
  const sql = "SELECT 1 AS seen FROM processor_events WHERE site_key_hash = ? AND event_id = ?";
  return (await db.get(sql, siteKeyHash, eventId)) !== undefined;
}

export async function noteEvent(
  tx: Transaction,
  event: { readonly siteKeyHash: string; readonly eventId: string; readonly type: string },
  now: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO processor_events (site_key_hash, event_id, type, received_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (site_key_hash, event_id) DO NOTHING`,
    event.siteKeyHash,
    event.eventId,
    event.type,
    now,
  );
}

export async function deleteExpiredEvents(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM processor_events WHERE received_at < ?", before);
}
