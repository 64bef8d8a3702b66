import type { Queries, Transaction } from "../../../infra/db/database.js";
import { rowExists } from "../../../infra/db/statements.js";
import { jsonOrNull, Table } from "../../../infra/db/table.js";
import { DAY_MS } from "../../../infra/time.js";
import type { StoredAnswer } from "../decision.js";

/** How long the answers of a deleted site are stored. */
const KEPT_MS = 90 * DAY_MS;

/** The stored answer to a mandate of a deleted site. */
export interface KeptAnswer {
  readonly jwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };
  readonly keyStatus: "active" | "revoked";
  readonly digest: string;
  /** Null if the review was still open. */
  readonly answer: StoredAnswer | null;
}

/** Before a site is deleted: stores its answers under every key of the agent that got them. */
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

const keptAnswers = new Table<KeptAnswer>("kept_answers", {
  jwk: {
    read: ({ x }) => ({ kty: "OKP", crv: "Ed25519", x: x as string }),
    write: ({ x }) => ({ x }),
  },
  keyStatus: "key_status",
  digest: "digest",
  answer: jsonOrNull<StoredAnswer>("answer"),
});

export function keptAnswer(
  db: Queries,
  { siteKeyHash, kid, mandateId }: { siteKeyHash: string; kid: string; mandateId: string },
  now: number,
): Promise<KeptAnswer | undefined> {
  const rest = "WHERE site_key_hash = ? AND kid = ? AND mandate_id = ? AND kept_until > ?";
  return keptAnswers.get(db, rest, siteKeyHash, kid, mandateId, now);
}

/** Whether answers of a deleted site are stored. If not, requests to it are refused unread. */
export function hasKeptAnswers(db: Queries, siteKeyHash: string): Promise<boolean> {
  return rowExists(db, "kept_answers WHERE site_key_hash = ?", siteKeyHash);
}

export async function deleteExpiredAnswers(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM kept_answers WHERE kept_until <= ?", now);
}
