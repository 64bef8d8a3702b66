import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows, deleterOf, equals } from "../../../infra/db/statements.js";
import { type ListPage, Table } from "../../../infra/db/table.js";
import type { EdgeToken } from "../token.js";

const edgeTokens = new Table<EdgeToken>("edge_tokens", {
  tokenId: "token_id",
  siteKeyHash: "site_key_hash",
  name: "name",
  createdBy: "created_by",
  createdAt: "created_at",
  revokedAt: "revoked_at",
});

export function insertEdgeToken(tx: Transaction, token: EdgeToken, digest: string): Promise<void> {
  return edgeTokens.insert(tx, [token], { digest });
}

/** Read at every report, so that a revocation holds at once on every node. */
export function liveEdgeToken(db: Queries, digest: string): Promise<EdgeToken | undefined> {
  return edgeTokens.get(db, "WHERE digest = ? AND revoked_at IS NULL", digest);
}

/** Tokens of a site, or of all sites (null), revoked ones included, in order of creation. */
export function listEdgeTokens(
  db: Queries,
  siteKeyHash: string | null,
  page: ListPage,
): Promise<EdgeToken[]> {
  const where = [equals("site_key_hash", siteKeyHash ?? undefined)];
  return edgeTokens.page(db, where, { by: ["created_at", "token_id"], newestFirst: false }, page);
}

export function countLiveEdgeTokens(db: Queries, siteKeyHash: string): Promise<number> {
  return countRows(db, "edge_tokens WHERE site_key_hash = ? AND revoked_at IS NULL", siteKeyHash);
}

export const edgeTokenById = edgeTokens.by("token_id");

export async function revokeEdgeToken(db: Queries, tokenId: string, now: number): Promise<boolean> {
  const sql = "UPDATE edge_tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL";
  return (await db.run(sql, now, tokenId)) === 1;
}

/** Revokes every live edge token of all sites; returns how many there were. */
export function revokeAllEdgeTokens(db: Queries, now: number): Promise<number> {
  return db.run("UPDATE edge_tokens SET revoked_at = ? WHERE revoked_at IS NULL", now);
}

/** Deletes the edge tokens of a site that is being deleted. */
export const deleteEdgeTokens = deleterOf("edge_tokens");
