import type { Queries, Transaction } from "../../../infra/db/database.js";
import { SITE_TOPIC } from "../site.js";
import type { Row } from "../store.js";

/** Domains whose sales are paused, as many as a person reads. */
export async function pausedDomains(db: Queries): Promise<readonly string[]> {
  const sql = `SELECT domain FROM sites WHERE deleted_at IS NULL AND paused_at IS NOT NULL
               ORDER BY domain LIMIT 20`;
  return (await db.all<{ domain: string }>(sql)).map(({ domain }) => domain);
}

/**
 * Pauses or resumes sales. Concurrent changes of the site do not conflict with it, so an owner never has
 * to try again. False if the site is deleted or already in that state.
 */
export async function writePause(
  tx: Transaction,
  siteKeyHash: string,
  { pausedAt, now }: { readonly pausedAt: number | null; readonly now: number },
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE sites SET paused_at = ?, version = version + 1, changed_at = ?
     WHERE site_key_hash = ? AND deleted_at IS NULL
       AND paused_at IS ${pausedAt === null ? "NOT NULL" : "NULL"}`,
    pausedAt,
    now,
    siteKeyHash,
  );
  if (changed === 1) await tx.announce(SITE_TOPIC, siteKeyHash);
  return changed === 1;
}

/** Whether the owner has paused sales of a site, now. */
export async function isPaused(db: Queries, siteKeyHash: string): Promise<boolean> {
  const sql = "SELECT paused_at FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL";
  return ((await db.get<Pick<Row, "paused_at">>(sql, siteKeyHash))?.paused_at ?? null) !== null;
}
