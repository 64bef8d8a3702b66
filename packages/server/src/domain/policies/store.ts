import type { JsonObject, PolicyVersion } from "@gatehouse/protocol";
import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { json, Table } from "../../infra/db/table.js";
import type { ListedPolicy, PublishedPolicy } from "./policy.js";

const policies = new Table<PublishedPolicy>("policy_versions", {
  version: "version",
  digest: "digest",
  document: json<JsonObject>("document"),
  publishedAt: "published_at",
});

/** The version in force: the newest. */
export function currentPolicy(
  db: Queries,
  siteKeyHash: string,
): Promise<PublishedPolicy | undefined> {
  return policies.get(db, "WHERE site_key_hash = ? ORDER BY version DESC LIMIT 1", siteKeyHash);
}

const IN_FORCE = `SELECT version, digest FROM policy_versions WHERE site_key_hash = ?
  ORDER BY version DESC LIMIT 1`;

/** Which version is in force, without its document. */
export function policyInForce(
  db: Queries,
  siteKeyHash: string,
): Promise<Pick<PolicyVersion, "version" | "digest"> | undefined> {
  return db.getOnce(IN_FORCE, siteKeyHash);
}

/** What {@link policyInForce} reads. */
export function readOfPolicy(siteKeyHash: string): ExpectedRead {
  return { kind: "get", sql: IN_FORCE, values: [siteKeyHash] };
}

/** Versions of a site's rules before a number, the newest first. */
export function listPolicies(
  db: Queries,
  siteKeyHash: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<ListedPolicy[]> {
  return db.all<ListedPolicy>(
    `SELECT version, digest, published_at AS "publishedAt" FROM policy_versions
     WHERE site_key_hash = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    siteKeyHash,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  );
}

export const policyByVersion = policies.ofSiteBy<number>("version");

/** A version by the digest that records name it with. If it was published twice, the document is the same. */
export function policyByDigest(
  db: Queries,
  siteKeyHash: string,
  digest: string,
): Promise<PublishedPolicy | undefined> {
  const rest = "WHERE site_key_hash = ? AND digest = ? ORDER BY version LIMIT 1";
  return policies.get(db, rest, siteKeyHash, digest);
}

export function insertPolicy(
  tx: Transaction,
  siteKeyHash: string,
  policy: PublishedPolicy,
): Promise<void> {
  return policies.insert(tx, [policy], { site_key_hash: siteKeyHash });
}
