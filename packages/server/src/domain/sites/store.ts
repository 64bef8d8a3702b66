import type { SiteNames, SkillSetting } from "@gatehouse/protocol";
import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { countRows, equals, rowExists, selectValue } from "../../infra/db/statements.js";
import { converted, flag, json, jsonOrNull, type ListPage, Table } from "../../infra/db/table.js";
import {
  type AuditPublic,
  checkDueAt,
  type ProviderSettings,
  type PublishedFeeds,
  SITE_TOPIC,
  type Site,
  type VerificationMethod,
} from "./site.js";

const sites = new Table<Site>("sites", {
  siteKey: "site_key",
  siteKeyHash: "site_key_hash",
  domain: "domain",
  name: "name",
  description: "description",
  picture: "picture",
  // Written from checked settings only.
  skills: converted(
    "skills",
    (text) => Object.freeze(JSON.parse(text).map(Object.freeze) as SkillSetting[]),
    JSON.stringify,
  ),
  auditPublic: "audit_public",
  provider: jsonOrNull<ProviderSettings>("processor"),
  policyPublished: flag("policy_published"),
  ucpVersion: "ucp_version",
  publishedFeeds: json<PublishedFeeds>("published_feeds"),
  hourStartMinute: "hour_start_minute",
  pausedAt: "paused_at",
  status: "status",
  version: "version",
  verification: {
    read: (row) =>
      Object.freeze({
        token: row.verification_token as string,
        method: row.verification_method as VerificationMethod | null,
        reason: row.verification_reason as string | null,
        verifiedAt: row.verified_at as number | null,
        checkedAt: row.checked_at as number | null,
        failedDays: row.failed_days as number,
        problem: row.problem as string | null,
      }),
    write: (proof) => ({
      verification_token: proof.token,
      verification_method: proof.method,
      verification_reason: proof.reason,
      verified_at: proof.verifiedAt,
      checked_at: proof.checkedAt,
      check_due_at: checkDueAt(proof),
      failed_days: proof.failedDays,
      problem: proof.problem,
    }),
  },
  createdAt: "created_at",
  changedAt: "changed_at",
});

export function siteByHash(db: Queries, siteKeyHash: string): Promise<Site | undefined> {
  return sites.get(db, "WHERE site_key_hash = ? AND deleted_at IS NULL", siteKeyHash);
}

const SITE_VERSION = "SELECT version FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL";

/** What {@link reloadSite} reads of a site that has not changed. */
export function readOfSite(siteKeyHash: string): ExpectedRead {
  return { kind: "get", sql: SITE_VERSION, values: [siteKeyHash] };
}

/** The current state of a site. Returns the given one if it has not changed. */
export async function reloadSite(tx: Queries, known: Site): Promise<Site | undefined> {
  const current = await tx.getOnce<{ version: number }>(SITE_VERSION, known.siteKeyHash);
  return current?.version === known.version ? known : siteByHash(tx, known.siteKeyHash);
}

/** Whether a site exists. It keeps existing until the transaction ends. */
export async function lockSite(tx: Transaction, siteKeyHash: string): Promise<boolean> {
  const sql = "SELECT site_key_hash FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL";
  return (await tx.lock(sql, siteKeyHash)).length === 1;
}

const SITE_STATUS = "SELECT status FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL";

/** Whether a site exists and its domain is verified, now. */
export async function isVerified(db: Queries, siteKeyHash: string): Promise<boolean> {
  const row = await db.getOnce<{ status: string }>(SITE_STATUS, siteKeyHash);
  return row?.status === "verified";
}

/** What {@link isVerified} reads. */
export function readOfStatus(siteKeyHash: string): ExpectedRead {
  return { kind: "get", sql: SITE_STATUS, values: [siteKeyHash] };
}

/** The picture of a shop, now; null if it has none or the site was deleted. */
export async function pictureOf(db: Queries, siteKeyHash: string): Promise<string | null> {
  const from = "sites WHERE site_key_hash = ? AND deleted_at IS NULL";
  return (await selectValue<string | null>(db, "picture", from, siteKeyHash)) ?? null;
}

/** The domain of a site, deleted ones included, because their logs continue. */
export function domainOfSite(db: Queries, siteKeyHash: string): Promise<string | undefined> {
  return selectValue<string>(db, "domain", "sites WHERE site_key_hash = ?", siteKeyHash);
}

/** The name of a site, deleted ones included. */
export function nameOfSite(db: Queries, siteKeyHash: string): Promise<string | undefined> {
  return selectValue<string>(db, "name", "sites WHERE site_key_hash = ?", siteKeyHash);
}

/** Who may see a site's log, deleted sites included. */
export function auditPublicOf(db: Queries, siteKeyHash: string): Promise<AuditPublic | undefined> {
  const from = "sites WHERE site_key_hash = ?";
  return selectValue<AuditPublic>(db, "audit_public", from, siteKeyHash);
}

/** The verified site of a domain, or the newest of those that still have to prove it. */
export function siteByDomain(db: Queries, domain: string): Promise<Site | undefined> {
  return sites.get(
    db,
    `WHERE domain = ? AND deleted_at IS NULL
     ORDER BY CASE status WHEN 'verified' THEN 0 ELSE 1 END, created_at DESC LIMIT 1`,
    domain,
  );
}

/**
 * Whether a site key was ever used here, deleted sites included. An older key can look like a hash, and one
 * that is the hash of another site, or hashes to another's key, would name two sites.
 */
export function siteKeyTaken(db: Queries, site: SiteNames): Promise<boolean> {
  const { siteKey, siteKeyHash } = site;
  const from = "sites WHERE site_key IN (?, ?) OR site_key_hash IN (?, ?)";
  return rowExists(db, from, siteKey, siteKeyHash, siteKey, siteKeyHash);
}

export interface SiteFilter {
  /** Sites the reader may see; null for all. */
  readonly visible: readonly string[] | null;
  readonly domain: string | undefined;
}

/** Sites in order of creation. */
export function listSites(
  db: Queries,
  { visible, domain }: SiteFilter,
  page: ListPage,
): Promise<Site[]> {
  // REPLACE finds exact substrings on both databases; LIKE would take the underscore of a hash for a
  // wildcard, and on SQLite ignore case.
  const hashes = visible === null ? undefined : `,${visible.join(",")},`;
  const where = [
    { sql: "deleted_at IS NULL", values: [] },
    equals("domain", domain),
    hashes === undefined
      ? undefined
      : { sql: "REPLACE(?, ',' || site_key_hash || ',', '') <> ?", values: [hashes, hashes] },
  ];
  return sites.page(db, where, { by: ["created_at", "site_key_hash"], newestFirst: false }, page);
}

/** What an operator vouched for is not checked. As the index says it, or it would not be used. */
const CHECKED = "deleted_at IS NULL AND status = 'verified' AND verification_method <> 'operator'";

/** Verified sites whose proof is due to be checked, those due longest first. */
export function sitesToRecheck(db: Queries, now: number, page: ListPage): Promise<Site[]> {
  const where = [
    { sql: CHECKED, values: [] },
    { sql: "check_due_at <= ?", values: [now] },
  ];
  const order = { by: ["check_due_at", "site_key_hash"], newestFirst: false } as const;
  return sites.page(db, where, order, page);
}

/** The number of sites, and the problems that their owners should see. */
export async function siteHealth(db: Queries) {
  // Two counts, because each has its own index.
  const total = await countRows(db, "sites WHERE deleted_at IS NULL");
  const verified = await countRows(db, "sites WHERE deleted_at IS NULL AND status = 'verified'");
  const troubled = await db.all<{ domain: string; problem: string }>(
    `SELECT domain, problem FROM sites WHERE deleted_at IS NULL AND problem IS NOT NULL
     ORDER BY domain LIMIT 20`,
  );
  return { total, verified, troubled };
}

export async function insertSite(tx: Transaction, site: Site): Promise<void> {
  await sites.insert(tx, [site]);
  tx.announce(SITE_TOPIC, site.siteKeyHash);
}

const AS_READ = "site_key_hash = ? AND version = ? AND deleted_at IS NULL";

/** Writes a changed site. Returns false if somebody else changed it first: read again and retry. */
export async function updateSite(tx: Transaction, site: Site, now: number): Promise<boolean> {
  const { siteKeyHash, version } = site;
  const row = sites.rowOf({ ...site, version: version + 1, changedAt: now });
  const columns = [
    "domain",
    "name",
    "description",
    "picture",
    "skills",
    "audit_public",
    "processor",
    "policy_published",
    "ucp_version",
    "published_feeds",
    "status",
    "version",
    "verification_token",
    "verification_method",
    "verification_reason",
    "verified_at",
    "checked_at",
    "check_due_at",
    "failed_days",
    "problem",
    "changed_at",
  ];
  const changed = await sites.update(tx, row, columns, AS_READ, siteKeyHash, version);
  if (changed === 1) tx.announce(SITE_TOPIC, siteKeyHash);
  return changed === 1;
}

/** Counts a change beside the site itself that its documents show: products, rules, mandates. */
export async function touchSite(tx: Transaction, siteKeyHash: string, now: number): Promise<void> {
  const sql = `UPDATE sites SET version = version + 1, changed_at = ?
     WHERE site_key_hash = ? AND deleted_at IS NULL`;
  await tx.run(sql, now, siteKeyHash);
  tx.announce(SITE_TOPIC, siteKeyHash);
}

/** From now on, visits are counted in hours that begin at this minute. */
export async function setHourStart(
  tx: Transaction,
  siteKeyHash: string,
  { minute, now }: { readonly minute: number; readonly now: number },
): Promise<void> {
  const changed = await tx.run(
    `UPDATE sites SET hour_start_minute = ?, version = version + 1, changed_at = ?
     WHERE site_key_hash = ? AND deleted_at IS NULL AND hour_start_minute <> ?`,
    minute,
    now,
    siteKeyHash,
    minute,
  );
  if (changed === 1) tx.announce(SITE_TOPIC, siteKeyHash);
}

/** Writes the result of a check of the proof. The site itself does not change, so its documents stay valid. */
export async function recordCheck(tx: Transaction, site: Site): Promise<boolean> {
  const columns = ["checked_at", "check_due_at", "failed_days", "problem"];
  const { siteKeyHash, version } = site;
  const row = sites.rowOf(site);
  return (await sites.update(tx, row, columns, AS_READ, siteKeyHash, version)) === 1;
}

/** Makes other sites of a domain pending again, because the newest proof wins. */
export async function unverifyOthers(
  tx: Transaction,
  domain: string,
  exceptHash: string,
  now: number,
): Promise<Site[]> {
  const rows = await tx.all<{ site_key_hash: string }>(
    `UPDATE sites SET status = 'pending', version = version + 1, changed_at = ?,
       problem = 'Another site of this installation verified this domain later.'
     WHERE domain = ? AND status = 'verified' AND deleted_at IS NULL AND site_key_hash <> ?
     RETURNING *`,
    now,
    domain,
    exceptHash,
  );
  for (const { site_key_hash } of rows) tx.announce(SITE_TOPIC, site_key_hash);
  return rows.map((row) => sites.read(row));
}

export async function deleteSite(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE sites SET deleted_at = ?, picture = NULL, version = version + 1 WHERE site_key_hash = ? AND deleted_at IS NULL",
    now,
    siteKeyHash,
  );
  if (changed === 1) tx.announce(SITE_TOPIC, siteKeyHash);
  return changed === 1;
}
