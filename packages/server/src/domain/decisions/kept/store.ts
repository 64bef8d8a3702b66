import type { Queries, Transaction } from "../../../infra/db/database.js";
import { DAY_MS } from "../../../infra/time.js";
import type { StoredAnswer } from "../decision.js";

/** How long the answers of a deleted site are kept. */
const KEPT_MS = 90 * DAY_MS;

/** The answer to a mandate of a deleted site. */
export interface KeptAnswer {
  readonly jwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };
  readonly keyStatus: "active" | "revoked";
  readonly digest: string;
  /** Null if the review was still open. */
  readonly answer: StoredAnswer | null;
}

/** Before a site is deleted: keeps its answers under every key of the agent that got them. */
export async function keepAnswers(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO kept_answers
       (site_key_hash, kid, mandate_id, x, key_status, digest, answer, kept_until)
     SELECT d.site_key_hash, k.kid, d.mandate_id, k.x, k.status, d.digest,
       CASE WHEN d.outcome = 'escalated' THEN NULL ELSE d.answer END, CAST(? AS BIGINT)
     FROM decisions d
       JOIN agent_keys k ON k.site_key_hash = d.site_key_hash AND k.agent_id = d.actor_id
     WHERE d.site_key_hash = ?`,
    now + KEPT_MS,
    siteKeyHash,
  );
}

export async function keptAnswer(
  db: Queries,
  { siteKeyHash, kid, mandateId }: { siteKeyHash: string; kid: string; mandateId: string },
  now: number,
): Promise<KeptAnswer | undefined> {
  const row = await db.get<{
    x: string;
    key_status: "active" | "revoked";
    digest: string;
    answer: string | null;
  }>(
    `SELECT x, key_status, digest, answer FROM kept_answers
     WHERE site_key_hash = ? AND kid = ? AND mandate_id = ? AND kept_until > ?`,
    siteKeyHash,
    kid,
    mandateId,
    now,
  );
  if (row === undefined) return undefined;
  return {
    jwk: { kty: "OKP", crv: "Ed25519", x: row.x },
    keyStatus: row.key_status,
    digest: row.digest,
    answer: row.answer === null ? null : (JSON.parse(row.answer) as StoredAnswer),
  };
}

/** Whether answers of a deleted site are kept. If not, requests to it are refused unread. */
export async function hasKeptAnswers(db: Queries, siteKeyHash: string): Promise<boolean> {
  const sql = "SELECT 1 AS kept FROM kept_answers WHERE site_key_hash = ? LIMIT 1";
  return (await db.get(sql, siteKeyHash)) !== undefined;
}

export async function deleteExpiredAnswers(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM kept_answers WHERE kept_until <= ?", now);
}
