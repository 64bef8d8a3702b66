import type { Queries } from "../../../infra/db/database.js";
import { countRows, selectNumber } from "../../../infra/db/statements.js";

/** The number of decisions since a time that count for the pool: all that were not rejected. */
export function countPooled(tx: Queries, siteKeyHash: string, since: number): Promise<number> {
  return countRows(
    tx,
    `decisions
     WHERE site_key_hash = ? AND evaluated_at > ? AND pooled = 1 AND outcome <> 'rejected'`,
    siteKeyHash,
    since,
  );
}

/** The money that the pool has spent in a currency since a time, in minor units. */
export async function sumPooled(
  tx: Queries,
  siteKeyHash: string,
  currency: string,
  since: number,
): Promise<number> {
  const sum = await selectNumber(
    tx,
    "SUM(amount_minor)",
    `decisions WHERE site_key_hash = ? AND spent_at > ? AND pooled = 1 AND spent_at IS NOT NULL
       AND currency = ?`,
    siteKeyHash,
    since,
    currency,
  );
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}
