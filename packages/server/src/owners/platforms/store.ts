import type { Queries } from "../../platform/db/database.js";
import type { WebName } from "../../platform/web-name.js";
import type { Platform, PlatformStatus } from "./platform.js";

interface Row {
  site_key_hash: string;
  identity: string;
  domain: string;
  status: PlatformStatus;
  name: string | null;
  note: string | null;
  profile_url: string | null;
  first_seen_at: number | null;
  last_seen_at: number | null;
  created_at: number;
  changed_by: string | null;
  changed_at: number | null;
}

function platformOf(row: Row): Platform {
  return Object.freeze({
    siteKeyHash: row.site_key_hash,
    identity: row.identity,
    domain: row.domain,
    status: row.status,
    name: row.name,
    note: row.note,
    profileUrl: row.profile_url,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  });
}

/**
 * The entry of a site's list that a web name falls under: what the owner said of its host, or else of
 * its domain. Where the owner has only suspended another host of the domain, that counts for all of
 * it: a new subdomain is no way out.
 */
export async function platformNamed(
  db: Queries,
  siteKeyHash: string,
  { host, domain }: WebName,
): Promise<Platform | undefined> {
  const row = await db.get<Row>(
    `SELECT * FROM platforms WHERE site_key_hash = ? AND domain = ?
       AND (identity IN (?, ?) OR status = 'suspended')
     ORDER BY CASE WHEN status = 'seen' THEN 3 WHEN identity = ? THEN 0 WHEN identity = ? THEN 1
       ELSE 2 END, identity LIMIT 1`,
    ...[siteKeyHash, domain, host, domain, host, domain],
  );
  return row && platformOf(row);
}
