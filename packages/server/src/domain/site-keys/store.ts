import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";

/** A row of site_signing_keys; times are milliseconds. */
export interface StoredSiteKey {
  readonly kid: string;
  readonly public_x: string;
  readonly public_y: string;
  readonly sealed: string;
  readonly created_at: number;
  readonly retired_at: number | null;
}

/** The key that signs now first, then those before it that were retired after `since`. */
export function keysOfSite(
  db: Queries,
  siteKeyHash: string,
  since: number,
): Promise<StoredSiteKey[]> {
  return db.all<StoredSiteKey>(
    `SELECT kid, public_x, public_y, sealed, created_at, retired_at FROM site_signing_keys
     WHERE site_key_hash = ? AND (retired_at IS NULL OR retired_at > ?)
     ORDER BY CASE WHEN retired_at IS NULL THEN 0 ELSE 1 END, retired_at DESC`,
    siteKeyHash,
    since,
  );
}

/** Stores a site's first key, unless another process was faster. */
export async function insertFirstKey(
  tx: Transaction,
  siteKeyHash: string,
  key: StoredSiteKey,
): Promise<void> {
  await tx.run(
    `INSERT INTO site_signing_keys (site_key_hash, kid, public_x, public_y, sealed, created_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    siteKeyHash,
    key.kid,
    key.public_x,
    key.public_y,
    key.sealed,
    key.created_at,
  );
}

export const deleteSiteKeys = deleterOf("site_signing_keys");
