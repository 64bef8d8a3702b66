import type { Queries } from "../../../infra/db/database.js";
import type { EdgeToken } from "../token.js";

interface Row {
  token_id: string;
  site_key_hash: string;
  name: string;
  created_by: string;
  created_at: number;
  revoked_at: number | null;
}

const COLUMNS = "token_id, site_key_hash, name, created_by, created_at, revoked_at";

function edgeTokenOf(row: Row): EdgeToken {
  return Object.freeze({
    tokenId: row.token_id,
    siteKeyHash: row.site_key_hash,
    name: row.name,
    createdBy: row.created_by,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  });
}

export async function insertEdgeToken(
  db: Queries,
  token: EdgeToken,
  digest: string,
): Promise<void> {
  await db.run(
    `INSERT INTO edge_tokens (token_id, site_key_hash, digest, name, created_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    token.tokenId,
    token.siteKeyHash,
    digest,
    token.name,
    token.createdBy,
    token.createdAt,
  );
}

/** Read at every report, so that a revocation holds at once on every node. */
export async function liveEdgeToken(db: Queries, digest: string): Promise<EdgeToken | undefined> {
  const row = await db.get<Row>(
    `SELECT ${COLUMNS} FROM edge_tokens WHERE digest = ? AND revoked_at IS NULL`,
    digest,
  );
  return row && edgeTokenOf(row);
}

/** Tokens of a site, or of all of them, revoked ones included, in order of creation. */
export async function listEdgeTokens(
  db: Queries,
  siteKeyHash: string | null,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<EdgeToken[]> {
  const { createdAt, id } = page.after ?? { createdAt: -1, id: "" };
  const rows = await db.all<Row>(
    `SELECT ${COLUMNS} FROM edge_tokens
     WHERE (CAST(? AS TEXT) IS NULL OR site_key_hash = ?) AND (created_at, token_id) > (?, ?)
     ORDER BY created_at, token_id LIMIT ?`,
    siteKeyHash,
    siteKeyHash,
    createdAt,
    id,
    page.limit,
  );
  return rows.map(edgeTokenOf);
}

export async function countLiveEdgeTokens(db: Queries, siteKeyHash: string): Promise<number> {
  const row = await db.get<{ live: number }>(
    "SELECT COUNT(*) AS live FROM edge_tokens WHERE site_key_hash = ? AND revoked_at IS NULL",
    siteKeyHash,
  );
  return row?.live ?? 0;
}

export async function edgeTokenById(db: Queries, tokenId: string): Promise<EdgeToken | undefined> {
  const sql = `SELECT ${COLUMNS} FROM edge_tokens WHERE token_id = ?`;
  const row = await db.get<Row>(sql, tokenId);
  return row && edgeTokenOf(row);
}

export async function revokeEdgeToken(db: Queries, tokenId: string, now: number): Promise<boolean> {
  const sql = "UPDATE edge_tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL";
  return (await db.run(sql, now, tokenId)) === 1;
}

/** Revokes every live edge token of all sites; returns how many there were. */
export function revokeAllEdgeTokens(db: Queries, now: number): Promise<number> {
  return db.run("UPDATE edge_tokens SET revoked_at = ? WHERE revoked_at IS NULL", now);
}

/** Deletes the edge tokens of a site that is being deleted. */
export async function deleteEdgeTokens(tx: Queries, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM edge_tokens WHERE site_key_hash = ?", siteKeyHash);
}
