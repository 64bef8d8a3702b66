import type { Queries } from "../../../infra/db/database.js";

/** The number of decisions since a time that count for the pool: all that were not rejected. */
export async function countPooled(tx: Queries, siteKeyHash: string, since: number) {
  const row = await tx.get<{ decisions: number }>(
    `SELECT COUNT(*) AS decisions FROM decisions
     WHERE site_key_hash = ? AND evaluated_at > ? AND pooled = 1 AND outcome <> 'rejected'`,
    siteKeyHash,
    since,
  );
  return Number(row?.decisions ?? 0);
}

/** The money that the pool has spent in a currency since a time, in minor units. */
export async function sumPooled(
  tx: Queries,
  siteKeyHash: string,
  currency: string,
  since: number,
): Promise<number> {
  const row = await tx.get<{ minor: number | null }>(
    `SELECT SUM(amount_minor) AS minor FROM decisions
     WHERE site_key_hash = ? AND spent_at > ? AND pooled = 1 AND spent_at IS NOT NULL
       AND currency = ?`,
    siteKeyHash,
    since,
    currency,
  );
  return Math.min(Number(row?.minor ?? 0), Number.MAX_SAFE_INTEGER);
}
