import type { Database, Queries, Transaction } from "../../infra/db/database.js";
import { containing, countRows, deleterOf, equals } from "../../infra/db/statements.js";
import { converted, type ListPage, Table } from "../../infra/db/table.js";
import { MINUTE_MS } from "../../infra/time.js";
import { type WebName, webName } from "../../infra/web-name.js";
import { type PlatformConnection, UCP_CONNECTION } from "./connection.js";
import type { Platform, PlatformStatus } from "./platform.js";

const platforms = new Table<Platform>("platforms", {
  siteKeyHash: "site_key_hash",
  identity: "identity",
  domain: "domain",
  status: "status",
  name: "name",
  note: "note",
  profileUrl: "profile_url",
  firstSeenAt: "first_seen_at",
  lastSeenAt: "last_seen_at",
  createdAt: "created_at",
  changedBy: "changed_by",
  changedAt: "changed_at",
  connection: converted<PlatformConnection>(
    "connection",
    (text) => (text === null ? UCP_CONNECTION : JSON.parse(text)),
    JSON.stringify,
  ),
});

/**
 * The entry of a site's list for a web name: the entry of its host, or else of its domain. If the owner
 * has only suspended another host of the domain, that applies to the whole domain, so that a new
 * subdomain does not evade it.
 */
export function platformNamed(
  db: Queries,
  siteKeyHash: string,
  { host, domain }: WebName,
): Promise<Platform | undefined> {
  return platforms.get(
    db,
    `WHERE site_key_hash = ? AND domain = ? AND (identity IN (?, ?) OR status = 'suspended')
     ORDER BY CASE WHEN status = 'seen' THEN 3 WHEN identity = ? THEN 0 WHEN identity = ? THEN 1
       ELSE 2 END, identity LIMIT 1`,
    siteKeyHash,
    domain,
    host,
    domain,
    host,
    domain,
  );
}

/** Platforms of one site that its owner can name. */
export const LISTED_PLATFORMS_MAX = 1_000;

export const platformByIdentity = platforms.ofSiteBy("identity");

export function countListed(db: Queries, siteKeyHash: string): Promise<number> {
  return countRows(db, "platforms WHERE site_key_hash = ? AND status <> 'seen'", siteKeyHash);
}

/** Writes an entry of the list as a whole. */
export function writePlatform(tx: Transaction, platform: Platform): Promise<void> {
  return platforms.upsert(tx, platform, {
    key: ["site_key_hash", "identity"],
    changed: ["status", "name", "note", "changed_by", "changed_at"],
  });
}

/** Writes how a platform is connected. */
export async function writeConnection(
  tx: Transaction,
  { siteKeyHash, identity, connection, changedBy, changedAt }: Platform,
): Promise<void> {
  await tx.run(
    `UPDATE platforms SET connection = ?, changed_by = ?, changed_at = ?
     WHERE site_key_hash = ? AND identity = ?`,
    JSON.stringify(connection),
    changedBy,
    changedAt,
    siteKeyHash,
    identity,
  );
}

export async function deletePlatform(
  tx: Transaction,
  siteKeyHash: string,
  identity: string,
): Promise<void> {
  const sql = "DELETE FROM platforms WHERE site_key_hash = ? AND identity = ?";
  await tx.run(sql, siteKeyHash, identity);
}

/** Deletes a site's list and settings, with the credentials of its platforms. */
export const deletePlatforms = deleterOf("platforms", "platform_settings", "platform_credentials");

/** A filter of a site's platforms; an empty one selects all. */
export interface PlatformFilter {
  readonly status: PlatformStatus | undefined;
  /** A part of its name or domain. */
  readonly search: string | undefined;
}

/** Platforms of a site, the newest first. */
export function listPlatforms(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  { status, search }: PlatformFilter,
  page: ListPage,
): Promise<Platform[]> {
  const where = [
    equals("site_key_hash", siteKeyHash),
    equals("status", status),
    containing(db.dialect, ["name", "identity"], search),
  ];
  return platforms.page(db, where, { by: ["created_at", "identity"], newestFirst: true }, page);
}

/** Platforms of one site that are kept only because they called. */
export const SEEN_PLATFORMS_MAX = 1_000;
/** The precision of `last_seen_at`, so that not every call writes. */
const SEEN_EVERY_MS = MINUTE_MS;

/** Frees a row: the platform known for the shortest time is deleted, so strangers push out no known ones. */
async function dropSeen(tx: Transaction, siteKeyHash: string): Promise<void> {
  const from = "platforms WHERE site_key_hash = ? AND status = 'seen'";
  if ((await countRows(tx, from, siteKeyHash)) < SEEN_PLATFORMS_MAX) return;
  await tx.run(
    `DELETE FROM platforms WHERE site_key_hash = ? AND identity = (
       SELECT identity FROM platforms WHERE site_key_hash = ? AND status = 'seen'
       ORDER BY last_seen_at - first_seen_at, last_seen_at LIMIT 1)`,
    siteKeyHash,
    siteKeyHash,
  );
}

/** Notes that a platform called and proved that the profile at this address is its own. */
export async function noteSeen(
  tx: Transaction,
  siteKeyHash: string,
  url: string,
  now: number,
): Promise<void> {
  const name = webName(url);
  if (name === undefined) return;
  const entry = await platformNamed(tx, siteKeyHash, name);
  if (entry === undefined) {
    await dropSeen(tx, siteKeyHash);
    await tx.run(
      `INSERT INTO platforms (site_key_hash, identity, domain, status, profile_url, first_seen_at,
         last_seen_at, created_at) VALUES (?, ?, ?, 'seen', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      siteKeyHash,
      name.domain,
      name.domain,
      url,
      now,
      now,
      now,
    );
    return;
  }
  if (entry.lastSeenAt !== null && now - entry.lastSeenAt < SEEN_EVERY_MS) return;
  await tx.run(
    `UPDATE platforms SET profile_url = ?, last_seen_at = ?,
       first_seen_at = COALESCE(first_seen_at, ?) WHERE site_key_hash = ? AND identity = ?`,
    url,
    now,
    now,
    siteKeyHash,
    entry.identity,
  );
}

/** Suspends a platform, also one that is in no list yet, unless the owner has changed it since. */
export async function suspendPlatform(
  db: Queries,
  { siteKeyHash, identity, domain }: Pick<Platform, "siteKeyHash" | "identity" | "domain">,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<void> {
  await db.run(
    `INSERT INTO platforms (site_key_hash, identity, domain, status, created_at, changed_by,
       changed_at) VALUES (?, ?, ?, 'suspended', ?, ?, ?)
     ON CONFLICT (site_key_hash, identity) DO UPDATE SET status = 'suspended',
       changed_by = excluded.changed_by, changed_at = excluded.changed_at
     WHERE platforms.status <> 'suspended'
       AND (platforms.changed_at IS NULL OR platforms.changed_at <= excluded.changed_at)`,
    siteKeyHash,
    identity,
    domain,
    at,
    by,
    at,
  );
}

/** Suspends the admitted platforms of all sites; returns how many there were. */
export function suspendAdmittedPlatforms(db: Queries, by: string, now: number): Promise<number> {
  return db.run(
    `UPDATE platforms SET status = 'suspended', changed_by = ?, changed_at = ?
     WHERE status = 'admitted'`,
    by,
    now,
  );
}

/** How many platforms of all sites are still suspended by one actor. */
export function countPlatformsSuspendedBy(db: Queries, by: string): Promise<number> {
  return countRows(db, "platforms WHERE status = 'suspended' AND changed_by = ?", by);
}
