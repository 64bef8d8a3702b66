import type { Queries, Transaction } from "../../infra/db/database.js";
import { countRows, selectValues } from "../../infra/db/statements.js";
import { jsonOrNull, type ListPage, Table } from "../../infra/db/table.js";
import type { Token } from "./token.js";

const tokens = new Table<Token>("admin_tokens", {
  tokenId: "token_id",
  name: "name",
  role: "role",
  sites: jsonOrNull<readonly string[]>("sites"),
  createdBy: "created_by",
  createdAt: "created_at",
  expiresAt: "expires_at",
  revokedAt: "revoked_at",
});

export function insertToken(tx: Transaction, token: Token, digest: string): Promise<void> {
  return tokens.insert(tx, [token], { digest });
}

/** Read from the database at every request, so that a revocation holds at once on every node. It may have expired. */
export function unrevokedTokenByDigest(db: Queries, digest: string): Promise<Token | undefined> {
  return tokens.get(db, "WHERE digest = ? AND revoked_at IS NULL", digest);
}

export const tokenById = tokens.by("token_id");

/** Which of these are tokens that were revoked or have expired. */
export async function endedAmong(
  db: Queries,
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const marks = ids.map(() => "?").join(", ");
  const from = `admin_tokens WHERE (revoked_at IS NOT NULL OR expires_at <= ?) AND token_id IN (${marks})`;
  return selectValues<string>(db, "token_id", from, now, ...ids);
}

/** Tokens in order of creation. `siteKeyHash`: only tokens limited to sites that include this one. */
export function listTokens(
  db: Queries,
  siteKeyHash: string | null,
  page: ListPage,
): Promise<Token[]> {
  // A hash is base64url, so its quoted form can only match a whole member of the JSON array.
  const member = siteKeyHash === null ? undefined : [`"${siteKeyHash}"`];
  const where = [member && { sql: "REPLACE(sites, ?, '') <> sites", values: member }];
  return tokens.page(db, where, { by: ["created_at", "token_id"], newestFirst: false }, page);
}

export function countLiveTokens(db: Queries, now: number): Promise<number> {
  const live = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";
  return countRows(db, `admin_tokens WHERE ${live}`, now);
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
