import type { Queries, Transaction } from "../../../infra/db/database.js";
import { rowExists, selectValues } from "../../../infra/db/statements.js";
import { SITE_TOPIC } from "../site.js";

/** The first domains whose sales are paused. */
export function pausedDomains(db: Queries): Promise<readonly string[]> {
  const from = "sites WHERE deleted_at IS NULL AND paused_at IS NOT NULL ORDER BY domain LIMIT 20";
  return selectValues<string>(db, "domain", from);
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
  if (changed === 1) tx.announce(SITE_TOPIC, siteKeyHash);
  return changed === 1;
}

/** Whether the owner has paused sales of a site, now. */
export function isPaused(db: Queries, siteKeyHash: string): Promise<boolean> {
  const from = "sites WHERE site_key_hash = ? AND deleted_at IS NULL AND paused_at IS NOT NULL";
  return rowExists(db, from, siteKeyHash);
}
