import type { Queries, Transaction } from "../../infra/db/database.js";
import { rowExists } from "../../infra/db/statements.js";
import { DAY_MS } from "../../infra/time.js";

/** Providers repeat an event for three days. */
export const EVENT_KEPT_MS = 7 * DAY_MS;

export function eventSeen(db: Queries, siteKeyHash: string, eventId: string): Promise<boolean> {
  const from = "processor_events WHERE site_key_hash = ? AND event_id = ?";
  return rowExists(db, from, siteKeyHash, eventId);
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
