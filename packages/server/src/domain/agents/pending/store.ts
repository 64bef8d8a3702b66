import type { Queries, Transaction } from "../../../infra/db/database.js";

/** The number of pending agents of a site by share, and since when the oldest waits. */
export interface PendingShare {
  readonly share: string;
  readonly waiting: number;
  readonly oldest: number;
}

export async function pendingShares(db: Queries, siteKeyHash: string): Promise<PendingShare[]> {
  return db.all<PendingShare>(
    `SELECT share, COUNT(*) AS waiting, MIN(created_at) AS oldest FROM agents
     WHERE site_key_hash = ? AND status = 'pending' GROUP BY share`,
    siteKeyHash,
  );
}

/** Deletes agents that were never approved, and their keys. They may register again. */
async function deleteUnapproved(
  tx: Transaction,
  condition: string,
  ...values: readonly (string | number)[]
): Promise<number> {
  const chosen = `SELECT agent_id FROM agents WHERE ${condition}`;
  await tx.run(`DELETE FROM agent_keys WHERE agent_id IN (${chosen})`, ...values);
  return tx.run(`DELETE FROM agents WHERE agent_id IN (${chosen})`, ...values);
}

/** Deletes the oldest pending agent of a share. */
export async function deleteOldestPending(
  tx: Transaction,
  siteKeyHash: string,
  share: string,
): Promise<void> {
  const oldest = `site_key_hash = ? AND status = 'pending' AND share = ?
     ORDER BY created_at, agent_id LIMIT 1`;
  await deleteUnapproved(tx, oldest, siteKeyHash, share);
}

/** Deletes expired pending agents, and agents that were rejected long ago. */
export function deleteExpiredAgents(tx: Transaction, now: number): Promise<number> {
  const late = "status IN ('pending', 'rejected') AND expires_at IS NOT NULL AND expires_at <= ?";
  return deleteUnapproved(tx, late, now);
}
