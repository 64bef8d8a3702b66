import { webName } from "../../web-name.js";
import type { Transaction } from "../database.js";
import type { Migration } from "../migration.js";

/** The identity of all callers that do not prove who they are. */
const UNSIGNED = "(unsigned)";
const UNSIGNED_ACTOR = "unsigned ";
/** Profile addresses: no agent's id looks like one. */
const PLATFORMS = "(actor_id LIKE 'http%' OR actor_id LIKE 'unsigned http%')";
const ROWS_PER_STEP = 1_000;

/** The identity of a platform, by the name it had before. */
function identityOf(actorId: string): string {
  if (actorId.startsWith(UNSIGNED_ACTOR)) return UNSIGNED;
  return webName(actorId)?.domain ?? UNSIGNED;
}

async function fillDecisions(tx: Transaction): Promise<void> {
  const actors = await tx.all<{ site_key_hash: string; actor_id: string }>(
    `SELECT DISTINCT site_key_hash, actor_id FROM decisions WHERE ${PLATFORMS}`,
  );
  for (const { site_key_hash, actor_id } of actors) {
    await tx.run(
      "UPDATE decisions SET identity = ?, pooled = 1 WHERE site_key_hash = ? AND actor_id = ?",
      identityOf(actor_id),
      site_key_hash,
      actor_id,
    );
  }
  await tx.run(
    `UPDATE reviews SET
       identity = COALESCE((SELECT identity FROM decisions
         WHERE decisions.decision_id = reviews.decision_id), actor_id),
       pooled = COALESCE((SELECT pooled FROM decisions
         WHERE decisions.decision_id = reviews.decision_id), 0)`,
  );
}

interface Bucket {
  readonly site_key_hash: string;
  readonly at: number;
  readonly actor_id: string;
  readonly currency: string;
  readonly minor: number;
  readonly decisions: number;
}

/** Adds up the counts of all names of one platform, so that no spending is lost. */
async function joinBuckets(tx: Transaction, table: string, column: string): Promise<void> {
  for (;;) {
    const rows = await tx.all<Bucket>(
      `SELECT site_key_hash, ${column} AS at, actor_id, currency, minor, decisions
       FROM ${table} WHERE ${PLATFORMS} LIMIT ${ROWS_PER_STEP}`,
    );
    for (const { site_key_hash, at, actor_id, currency, minor, decisions } of rows) {
      await tx.run(
        `DELETE FROM ${table} WHERE site_key_hash = ? AND ${column} = ? AND actor_id = ?
           AND currency = ?`,
        site_key_hash,
        at,
        actor_id,
        currency,
      );
      await tx.run(
        `INSERT INTO ${table} (site_key_hash, ${column}, actor_id, currency, minor, decisions)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (site_key_hash, ${column}, actor_id, currency) DO UPDATE SET
           minor = ${table}.minor + excluded.minor,
           decisions = ${table}.decisions + excluded.decisions`,
        site_key_hash,
        at,
        identityOf(actor_id),
        currency,
        minor,
        decisions,
      );
    }
    if (rows.length < ROWS_PER_STEP) return;
  }
}

/** A platform's age begins with the first signed checkout of one of its profiles. */
async function fillPlatforms(tx: Transaction): Promise<void> {
  const seen = await tx.all<{ site: string; url: string; first: number; last: number }>(
    `SELECT site_key_hash AS site, platform_url AS url, MIN(created_at) AS first,
       MAX(created_at) AS last
     FROM checkouts WHERE platform_signed = 1 GROUP BY 1, 2 ORDER BY 4`,
  );
  for (const { site, url, first, last } of seen) {
    const domain = webName(url)?.domain;
    if (domain === undefined) continue;
    await tx.run(
      `INSERT INTO platforms (site_key_hash, identity, domain, status, profile_url,
         first_seen_at, last_seen_at, created_at)
       VALUES (?, ?, ?, 'seen', ?, ?, ?, ?)
       ON CONFLICT (site_key_hash, identity) DO UPDATE SET
         first_seen_at = CASE WHEN excluded.first_seen_at < platforms.first_seen_at
           THEN excluded.first_seen_at ELSE platforms.first_seen_at END,
         last_seen_at = excluded.last_seen_at, profile_url = excluded.profile_url`,
      site,
      domain,
      domain,
      url,
      Number(first),
      Number(last),
      Number(first),
    );
  }
}

/**
 * Limits count by who a caller is, not by what it calls itself.
 * - decisions, reviews: the identity they count for, and whether they count for the pool of platforms
 *   that are not admitted. `actor_id` stays what people are shown.
 * - decision_hours, decision_minutes: by identity. The column keeps its name, since nodes of the
 *   version before go on writing to it while an upgrade is under way.
 * - platform_settings: which platforms may buy, and what the pool may spend. Sites that were there
 *   before keep selling to any platform.
 */
export const identities: Migration = {
  name: "identities",
  sql: ({ integer, strict }) => `
ALTER TABLE decisions ADD COLUMN identity TEXT NOT NULL DEFAULT '';

ALTER TABLE decisions ADD COLUMN pooled ${integer} NOT NULL DEFAULT 0;

UPDATE decisions SET identity = actor_id;

CREATE INDEX decisions_pooled ON decisions (site_key_hash, evaluated_at)
  WHERE pooled = 1 AND outcome <> 'rejected';

CREATE INDEX decisions_pooled_spent ON decisions (site_key_hash, spent_at)
  WHERE pooled = 1 AND spent_at IS NOT NULL;

ALTER TABLE reviews ADD COLUMN identity TEXT NOT NULL DEFAULT '';

ALTER TABLE reviews ADD COLUMN pooled ${integer} NOT NULL DEFAULT 0;

CREATE TABLE platform_settings (
  site_key_hash TEXT PRIMARY KEY,
  accepted TEXT CHECK (accepted IN ('any', 'admitted')),
  pool TEXT NOT NULL
) ${strict};

INSERT INTO platform_settings (site_key_hash, accepted, pool)
  SELECT site_key_hash, 'any', '{}' FROM sites;
`,
  async fill(tx) {
    await fillDecisions(tx);
    await joinBuckets(tx, "decision_hours", "hour");
    await joinBuckets(tx, "decision_minutes", "minute");
    await fillPlatforms(tx);
  },
};
