import type { Queries } from "../../infra/db/database.js";
import type { Role, Token } from "./token.js";

interface Row {
  token_id: string;
  name: string;
  role: Role;
  sites: string | null;
  created_by: string;
  created_at: number;
  revoked_at: number | null;
}

const COLUMNS = "token_id, name, role, sites, created_by, created_at, revoked_at";

function tokenOf(row: Row): Token {
  return Object.freeze({
    tokenId: row.token_id,
    name: row.name,
    role: row.role,
    sites: row.sites === null ? null : Object.freeze(JSON.parse(row.sites) as string[]),
    createdBy: row.created_by,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  });
}

export async function insertToken(db: Queries, token: Token, digest: string): Promise<void> {
  await db.run(
    `INSERT INTO admin_tokens (token_id, digest, name, role, sites, created_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    token.tokenId,
    digest,
    token.name,
    token.role,
    token.sites === null ? null : JSON.stringify(token.sites),
    token.createdBy,
    token.createdAt,
  );
}

/** Read from the database at every request, so that a revocation holds at once on every node. */
export async function liveTokenByDigest(db: Queries, digest: string): Promise<Token | undefined> {
  const row = await db.get<Row>(
    `SELECT ${COLUMNS} FROM admin_tokens WHERE digest = ? AND revoked_at IS NULL`,
    digest,
  );
  return row && tokenOf(row);
}

export async function tokenById(db: Queries, tokenId: string): Promise<Token | undefined> {
  const row = await db.get<Row>(`SELECT ${COLUMNS} FROM admin_tokens WHERE token_id = ?`, tokenId);
  return row && tokenOf(row);
}

/** Which of these are tokens that were revoked. */
export async function revokedAmong(db: Queries, ids: readonly string[]): Promise<string[]> {
  const marks = ids.map(() => "?").join(", ");
  const sql = `SELECT token_id FROM admin_tokens WHERE revoked_at IS NOT NULL AND token_id IN (${marks})`;
  const rows = ids.length === 0 ? [] : await db.all<Pick<Row, "token_id">>(sql, ...ids);
  return rows.map(({ token_id }) => token_id);
}

export interface TokenFilter {
  /** Only tokens limited to sites that include this one; null for all tokens. */
  readonly siteKeyHash: string | null;
  readonly after: { readonly createdAt: number; readonly id: string } | null;
  readonly limit: number;
}

export async function listTokens(db: Queries, filter: TokenFilter): Promise<Token[]> {
  const { createdAt, id } = filter.after ?? { createdAt: -1, id: "" };
  // A hash is base64url, so its quoted form can only match a whole member of the JSON array.
  const member = filter.siteKeyHash === null ? null : `"${filter.siteKeyHash}"`;
  const rows = await db.all<Row>(
    `SELECT ${COLUMNS} FROM admin_tokens
     WHERE (created_at > ? OR (created_at = ? AND token_id > ?))
       AND (CAST(? AS TEXT) IS NULL OR REPLACE(sites, ?, '') <> sites)
     ORDER BY created_at, token_id LIMIT ?`,
    createdAt,
    createdAt,
    id,
    member,
    member,
    filter.limit,
  );
  return rows.map(tokenOf);
}

export async function countLiveTokens(db: Queries): Promise<number> {
  const row = await db.get<{ live: number }>(
    "SELECT COUNT(*) AS live FROM admin_tokens WHERE revoked_at IS NULL",
  );
  return row?.live ?? 0;
}

export async function revokeToken(db: Queries, tokenId: string, now: number): Promise<boolean> {
  const changed = await db.run(
    "UPDATE admin_tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL",
    now,
    tokenId,
  );
  return changed === 1;
}

/** Revokes every live token; returns how many there were. */
export function revokeAllTokens(db: Queries, now: number): Promise<number> {
  return db.run("UPDATE admin_tokens SET revoked_at = ? WHERE revoked_at IS NULL", now);
}
