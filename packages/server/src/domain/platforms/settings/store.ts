import type { Queries, Transaction } from "../../../infra/db/database.js";
import { selectValues } from "../../../infra/db/select.js";
import {
  type AcceptedPlatforms,
  DEFAULT_POOL,
  type PlatformPool,
  type PlatformSettings,
} from "../settings.js";

export async function platformSettings(
  db: Queries,
  siteKeyHash: string,
): Promise<PlatformSettings> {
  const row = await db.get<{ accepted: AcceptedPlatforms | null; pool: string }>(
    "SELECT accepted, pool FROM platform_settings WHERE site_key_hash = ?",
    siteKeyHash,
  );
  const set = row === undefined ? {} : (JSON.parse(row.pool) as Partial<PlatformPool>);
  return Object.freeze({ accepted: row?.accepted ?? null, pool: { ...DEFAULT_POOL, ...set } });
}

/** Sites that accept any platform, by their owner's choice or because they are older than the setting. */
export function sitesOpenToAny(db: Queries, limit: number): Promise<readonly string[]> {
  const from = "platform_settings WHERE accepted = 'any' ORDER BY site_key_hash LIMIT ?";
  return selectValues<string>(db, "site_key_hash", from, limit);
}

export async function writePlatformSettings(
  tx: Transaction,
  siteKeyHash: string,
  { accepted, pool }: PlatformSettings,
): Promise<void> {
  await tx.run(
    `INSERT INTO platform_settings (site_key_hash, accepted, pool) VALUES (?, ?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET accepted = excluded.accepted, pool = excluded.pool`,
    siteKeyHash,
    accepted,
    JSON.stringify(pool),
  );
}

/** Domains of the platforms that a site's owner has admitted. */
export async function admittedDomains(
  db: Queries,
  siteKeyHash: string,
): Promise<ReadonlySet<string>> {
  const from = "platforms WHERE site_key_hash = ? AND status = 'admitted'";
  return new Set(await selectValues<string>(db, "domain", from, siteKeyHash));
}
