import type { Queries, Transaction } from "../../../infra/db/database.js";
import { Table } from "../../../infra/db/table.js";

/** The token that somebody signed in with, and a MAC that a replaced operator token does not have. */
export interface SignedIn {
  readonly tokenId: string;
  readonly tokenMac: string;
}

/** A code that signs in once. */
export interface SignInCode extends SignedIn {
  /** The digest of the code, or of a session's secret. */
  readonly digest: string;
  readonly expiresAt: number;
}

export interface Session extends SignInCode {
  readonly createdAt: number;
}

const CODE_COLUMNS = {
  digest: "digest",
  tokenId: "token_id",
  tokenMac: "token_mac",
  expiresAt: "expires_at",
} as const;

const codes = new Table<SignInCode>("console_codes", CODE_COLUMNS);
const sessions = new Table<Session>("console_sessions", {
  ...CODE_COLUMNS,
  createdAt: "created_at",
});

/** Deletes the oldest rows of a token beyond a number. */
async function deleteOldest(
  tx: Transaction,
  table: "console_codes" | "console_sessions",
  { tokenId }: SignedIn,
  max: number,
): Promise<void> {
  await tx.run(
    `DELETE FROM ${table} WHERE token_id = ? AND digest NOT IN (
       SELECT digest FROM ${table} WHERE token_id = ? ORDER BY expires_at DESC, digest LIMIT ?)`,
    tokenId,
    tokenId,
    max,
  );
}

/** Stores a session. Each token has at most `max`; the oldest are deleted. */
export async function insertSession(tx: Transaction, session: Session, max: number): Promise<void> {
  await sessions.insert(tx, [session]);
  await deleteOldest(tx, "console_sessions", session, max);
}

export function liveSession(
  db: Queries,
  digest: string,
  now: number,
): Promise<Session | undefined> {
  return sessions.get(db, "WHERE digest = ? AND expires_at > ?", digest, now);
}

export async function endSession(db: Queries, digest: string): Promise<void> {
  await db.run("DELETE FROM console_sessions WHERE digest = ?", digest);
}

/** Stores a code. Each token has at most `max`; the oldest are deleted. */
export async function insertCode(tx: Transaction, code: SignInCode, max: number): Promise<void> {
  await codes.insert(tx, [code]);
  await deleteOldest(tx, "console_codes", code, max);
}

/** Takes a code, so that a second use finds none. */
export async function takeCode(
  tx: Transaction,
  digest: string,
  now: number,
): Promise<SignedIn | undefined> {
  const code = await codes.get(tx, "WHERE digest = ? AND expires_at > ?", digest, now);
  const taken = await tx.run("DELETE FROM console_codes WHERE digest = ?", digest);
  return taken === 1 ? code : undefined;
}

export async function deleteExpiredSessions(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM console_codes WHERE expires_at <= ?", now);
  await tx.run("DELETE FROM console_sessions WHERE expires_at <= ?", now);
}

/** Signs everybody out, and makes every open link useless. */
export async function endAllSessions(db: Queries): Promise<void> {
  await db.run("DELETE FROM console_codes");
  await db.run("DELETE FROM console_sessions");
}
