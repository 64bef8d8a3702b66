import type { SiteNames, SkillSetting } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";
import {
  type AuditPublic,
  type ProcessorSettings,
  SITE_TOPIC,
  type Site,
  type SiteStatus,
  type VerificationMethod,
} from "./site.js";

export interface Row {
  site_key: string;
  site_key_hash: string;
  domain: string;
  name: string;
  description: string;
  skills: string;
  audit_public: AuditPublic;
  processor: string | null;
  policy_published: number;
  paused_at: number | null;
  status: SiteStatus;
  version: number;
  verification_token: string;
  verification_method: VerificationMethod | null;
  verification_reason: string | null;
  verified_at: number | null;
  checked_at: number | null;
  failed_days: number;
  problem: string | null;
  created_at: number;
  changed_at: number;
}

/** Written by {@link updateSite} only, from settings that were checked. */
function skillsOf(text: string): readonly SkillSetting[] {
  return Object.freeze(JSON.parse(text).map(Object.freeze) as SkillSetting[]);
}

function processorOf(text: string): ProcessorSettings {
  return Object.freeze(JSON.parse(text) as ProcessorSettings);
}

function siteOf(row: Row): Site {
  return Object.freeze({
    siteKey: row.site_key,
    siteKeyHash: row.site_key_hash,
    domain: row.domain,
    name: row.name,
    description: row.description,
    skills: skillsOf(row.skills),
    auditPublic: row.audit_public,
    processor: row.processor === null ? null : processorOf(row.processor),
    policyPublished: row.policy_published === 1,
    pausedAt: row.paused_at,
    status: row.status,
    version: row.version,
    verification: Object.freeze({
      token: row.verification_token,
      method: row.verification_method,
      reason: row.verification_reason,
      verifiedAt: row.verified_at,
      checkedAt: row.checked_at,
      failedDays: row.failed_days,
      problem: row.problem,
    }),
    createdAt: row.created_at,
    changedAt: row.changed_at,
  });
}

export async function siteByHash(db: Queries, siteKeyHash: string): Promise<Site | undefined> {
  const row = await db.get<Row>(
    "SELECT * FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL",
    siteKeyHash,
  );
  return row && siteOf(row);
}

/** The current state of a site. Returns the given one if it has not changed. */
export async function reloadSite(tx: Queries, known: Site): Promise<Site | undefined> {
  const sql = "SELECT version FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL";
  const row = await tx.get<{ version: number }>(sql, known.siteKeyHash);
  return row?.version === known.version ? known : siteByHash(tx, known.siteKeyHash);
}

/** Whether a site exists. It keeps existing until the transaction ends. */
export async function lockSite(tx: Transaction, siteKeyHash: string): Promise<boolean> {
  const sql = "SELECT site_key_hash FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL";
  return (await tx.lock(sql, siteKeyHash)).length === 1;
}

/** Whether a site is there and its domain proven, now. */
export async function isVerified(db: Queries, siteKeyHash: string): Promise<boolean> {
  const row = await db.get<{ status: string }>(
    "SELECT status FROM sites WHERE site_key_hash = ? AND deleted_at IS NULL",
    siteKeyHash,
  );
  return row?.status === "verified";
}

/** The domain of a site, deleted ones included: their logs go on. */
export async function domainOfSite(db: Queries, siteKeyHash: string): Promise<string | undefined> {
  const sql = "SELECT domain FROM sites WHERE site_key_hash = ?";
  return (await db.get<{ domain: string }>(sql, siteKeyHash))?.domain;
}

/** Who may see a site's log, deleted sites included. */
export async function auditPublicOf(
  db: Queries,
  siteKeyHash: string,
): Promise<AuditPublic | undefined> {
  const sql = "SELECT audit_public FROM sites WHERE site_key_hash = ?";
  return (await db.get<Pick<Row, "audit_public">>(sql, siteKeyHash))?.audit_public;
}

/** The verified site of a domain, or the newest of those that still have to prove it. */
export async function siteByDomain(db: Queries, domain: string): Promise<Site | undefined> {
  const row = await db.get<Row>(
    `SELECT * FROM sites WHERE domain = ? AND deleted_at IS NULL
     ORDER BY CASE status WHEN 'verified' THEN 0 ELSE 1 END, created_at DESC LIMIT 1`,
    domain,
  );
  return row && siteOf(row);
}

/**
 * Whether a site key was ever given out here, deleted sites included. An older key can look like a
 * hash: one that is the hash of another site, or hashes to another's key, would name two sites.
 */
export async function siteKeyTaken(db: Queries, site: SiteNames): Promise<boolean> {
  const { siteKey, siteKeyHash } = site;
  const sql =
    "SELECT 1 AS one FROM sites WHERE site_key IN (?, ?) OR site_key_hash IN (?, ?) LIMIT 1";
  const found = await db.get(sql, siteKey, siteKeyHash, siteKey, siteKeyHash);
  return found !== undefined;
}

export interface SiteFilter {
  /** Sites the reader may see; null for all. */
  readonly visible: readonly string[] | null;
  readonly domain: string | null;
  /** Only sites after this one, in order of creation. */
  readonly after: { readonly createdAt: number; readonly id: string } | null;
  readonly limit: number;
}

export async function listSites(db: Queries, filter: SiteFilter): Promise<Site[]> {
  const { createdAt, id } = filter.after ?? { createdAt: -1, id: "" };
  // One fixed text serves every filter. REPLACE finds exact substrings on both databases; LIKE
  // would take the underscore of a hash for a wildcard, and on SQLite ignore case.
  const visible = filter.visible === null ? null : `,${filter.visible.join(",")},`;
  const rows = await db.all<Row>(
    `SELECT * FROM sites WHERE deleted_at IS NULL
       AND (created_at > ? OR (created_at = ? AND site_key_hash > ?))
       AND (CAST(? AS TEXT) IS NULL OR domain = ?)
       AND (CAST(? AS TEXT) IS NULL OR REPLACE(?, ',' || site_key_hash || ',', '') <> ?)
     ORDER BY created_at, site_key_hash LIMIT ?`,
    createdAt,
    createdAt,
    id,
    filter.domain,
    filter.domain,
    visible,
    visible,
    visible,
    filter.limit,
  );
  return rows.map(siteOf);
}

/** Verified sites whose proof was last looked at before `before`; operators' word is not re-checked. */
export async function sitesToRecheck(db: Queries, before: number, limit: number): Promise<Site[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM sites WHERE deleted_at IS NULL AND status = 'verified'
       AND verification_method <> 'operator' AND checked_at < ? ORDER BY checked_at LIMIT ?`,
    before,
    limit,
  );
  return rows.map(siteOf);
}

/** How many sites there are, and which have something wrong that their owner should see. */
export async function siteHealth(db: Queries) {
  const counts = await db.get<{ total: number; verified: number }>(
    `SELECT COUNT(*) AS total, COUNT(CASE WHEN status = 'verified' THEN 1 END) AS verified
     FROM sites WHERE deleted_at IS NULL`,
  );
  const troubled = await db.all<{ domain: string; problem: string }>(
    `SELECT domain, problem FROM sites WHERE deleted_at IS NULL AND problem IS NOT NULL
     ORDER BY domain LIMIT 20`,
  );
  return { total: counts?.total ?? 0, verified: counts?.verified ?? 0, troubled };
}

export async function insertSite(tx: Transaction, site: Site): Promise<void> {
  await tx.run(
    `INSERT INTO sites (site_key_hash, site_key, domain, name, description, skills, status,
       version, verification_token, failed_days, created_at, changed_at)
     VALUES (?, ?, ?, ?, ?, ?, 'pending', 1, ?, 0, ?, ?)`,
    site.siteKeyHash,
    site.siteKey,
    site.domain,
    site.name,
    site.description,
    JSON.stringify(site.skills),
    site.verification.token,
    site.createdAt,
    site.changedAt,
  );
  await tx.announce(SITE_TOPIC, site.siteKeyHash);
}

/** Writes a changed site. Returns false if somebody else changed it first: read again and retry. */
export async function updateSite(tx: Transaction, site: Site, now: number): Promise<boolean> {
  const { verification: proof } = site;
  const changed = await tx.run(
    `UPDATE sites SET domain = ?, name = ?, description = ?, skills = ?, audit_public = ?,
       processor = ?, policy_published = ?, status = ?, version = version + 1,
       verification_token = ?, verification_method = ?, verification_reason = ?, verified_at = ?,
       checked_at = ?, failed_days = ?, problem = ?, changed_at = ?
     WHERE site_key_hash = ? AND version = ? AND deleted_at IS NULL`,
    site.domain,
    site.name,
    site.description,
    JSON.stringify(site.skills),
    site.auditPublic,
    site.processor && JSON.stringify(site.processor),
    site.policyPublished ? 1 : 0,
    site.status,
    proof.token,
    proof.method,
    proof.reason,
    proof.verifiedAt,
    proof.checkedAt,
    proof.failedDays,
    proof.problem,
    now,
    site.siteKeyHash,
    site.version,
  );
  if (changed === 1) await tx.announce(SITE_TOPIC, site.siteKeyHash);
  return changed === 1;
}

/**
 * Notes the result of a check of the proof. This is no change of the site, so its documents stay
 * valid.
 */
export async function recordCheck(tx: Transaction, site: Site): Promise<boolean> {
  const { checkedAt, failedDays, problem } = site.verification;
  const changed = await tx.run(
    `UPDATE sites SET checked_at = ?, failed_days = ?, problem = ?
     WHERE site_key_hash = ? AND version = ? AND deleted_at IS NULL`,
    checkedAt,
    failedDays,
    problem,
    site.siteKeyHash,
    site.version,
  );
  return changed === 1;
}

/** Sends other sites of a domain back to pending: the newest proof of a domain wins. */
export async function unverifyOthers(
  tx: Transaction,
  domain: string,
  exceptHash: string,
  now: number,
): Promise<Site[]> {
  const rows = await tx.all<Row>(
    `UPDATE sites SET status = 'pending', version = version + 1, changed_at = ?,
       problem = 'Another site here has since proven control of this domain.'
     WHERE domain = ? AND status = 'verified' AND deleted_at IS NULL AND site_key_hash <> ?
     RETURNING *`,
    now,
    domain,
    exceptHash,
  );
  for (const { site_key_hash } of rows) await tx.announce(SITE_TOPIC, site_key_hash);
  return rows.map(siteOf);
}

export async function deleteSite(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<boolean> {
  const changed = await tx.run(
    "UPDATE sites SET deleted_at = ?, version = version + 1 WHERE site_key_hash = ? AND deleted_at IS NULL",
    now,
    siteKeyHash,
  );
  if (changed === 1) await tx.announce(SITE_TOPIC, siteKeyHash);
  return changed === 1;
}
