import type { JsonObject, PolicyVersion } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { ListedPolicy, PublishedPolicy } from "./policy.js";

interface Row {
  version: number;
  digest: string;
  document: string;
  published_at: number;
}

function policyOf(row: Row): PublishedPolicy {
  return Object.freeze({
    version: row.version,
    digest: row.digest,
    document: JSON.parse(row.document) as JsonObject,
    publishedAt: row.published_at,
  });
}

/** The version in force: the newest. */
export async function currentPolicy(
  db: Queries,
  siteKeyHash: string,
): Promise<PublishedPolicy | undefined> {
  const row = await db.get<Row>(
    "SELECT * FROM policy_versions WHERE site_key_hash = ? ORDER BY version DESC LIMIT 1",
    siteKeyHash,
  );
  return row && policyOf(row);
}

/** Which version is in force, without its document. */
export function policyInForce(
  db: Queries,
  siteKeyHash: string,
): Promise<Pick<PolicyVersion, "version" | "digest"> | undefined> {
  return db.get(
    `SELECT version, digest FROM policy_versions WHERE site_key_hash = ?
     ORDER BY version DESC LIMIT 1`,
    siteKeyHash,
  );
}

/** Versions of a site's rules before a number, the newest first. */
export async function listPolicies(
  db: Queries,
  siteKeyHash: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<ListedPolicy[]> {
  const rows = await db.all<Omit<Row, "document">>(
    `SELECT version, digest, published_at FROM policy_versions
     WHERE site_key_hash = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    siteKeyHash,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  );
  return rows.map(({ version, digest, published_at: publishedAt }) => {
    return { version, digest, publishedAt };
  });
}

export async function policyByVersion(
  db: Queries,
  siteKeyHash: string,
  version: number,
): Promise<PublishedPolicy | undefined> {
  const sql = "SELECT * FROM policy_versions WHERE site_key_hash = ? AND version = ?";
  const row = await db.get<Row>(sql, siteKeyHash, version);
  return row && policyOf(row);
}

/** A version by the digest records name it with. Published twice, it is the same document. */
export async function policyByDigest(
  db: Queries,
  siteKeyHash: string,
  digest: string,
): Promise<PublishedPolicy | undefined> {
  const row = await db.get<Row>(
    `SELECT * FROM policy_versions WHERE site_key_hash = ? AND digest = ?
     ORDER BY version LIMIT 1`,
    siteKeyHash,
    digest,
  );
  return row && policyOf(row);
}

export async function insertPolicy(
  tx: Transaction,
  siteKeyHash: string,
  { version, digest, document, publishedAt }: PublishedPolicy,
): Promise<void> {
  await tx.run(
    `INSERT INTO policy_versions (site_key_hash, version, digest, document, published_at)
     VALUES (?, ?, ?, ?, ?)`,
    siteKeyHash,
    version,
    digest,
    JSON.stringify(document),
    publishedAt,
  );
}
