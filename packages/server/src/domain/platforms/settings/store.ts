import type { Queries, Transaction } from "../../../infra/db/database.js";
import { selectValues } from "../../../infra/db/statements.js";
import { converted, Table } from "../../../infra/db/table.js";
import { DEFAULT_POOL, type PlatformPool, type PlatformSettings } from "../settings.js";

const settings = new Table<PlatformSettings>("platform_settings", {
  accepted: "accepted",
  pool: converted(
    "pool",
    (text) => ({ ...DEFAULT_POOL, ...(JSON.parse(text) as Partial<PlatformPool>) }),
    JSON.stringify,
  ),
});

const DEFAULTS: PlatformSettings = Object.freeze({ accepted: null, pool: DEFAULT_POOL });

export async function platformSettings(
  db: Queries,
  siteKeyHash: string,
): Promise<PlatformSettings> {
  return (await settings.get(db, "WHERE site_key_hash = ?", siteKeyHash)) ?? DEFAULTS;
}

/** Sites that accept any platform, by their owner's choice or because they are older than the setting. */
export function sitesOpenToAny(db: Queries, limit: number): Promise<readonly string[]> {
  const from = "platform_settings WHERE accepted = 'any' ORDER BY site_key_hash LIMIT ?";
  return selectValues<string>(db, "site_key_hash", from, limit);
}

export function writePlatformSettings(
  tx: Transaction,
  siteKeyHash: string,
  changed: PlatformSettings,
): Promise<void> {
  return settings.upsert(tx, changed, { key: ["site_key_hash"] }, { site_key_hash: siteKeyHash });
}

/** Domains of the platforms that a site's owner has admitted. */
export async function admittedDomains(
  db: Queries,
  siteKeyHash: string,
): Promise<ReadonlySet<string>> {
  const from = "platforms WHERE site_key_hash = ? AND status = 'admitted'";
  return new Set(await selectValues<string>(db, "domain", from, siteKeyHash));
}
