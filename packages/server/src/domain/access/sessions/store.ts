import type { Queries, Transaction } from "../../../infra/db/database.js";
import { flag, Table } from "../../../infra/db/table.js";

/** The token or the person that is signed in, and a MAC that a replaced operator token does not have. */
export interface SignedIn {
  readonly principalId: string;
  readonly tokenMac: string;
}

/** A code that signs in once. */
interface SignInCode extends SignedIn {
  /** The digest of the code, or of a session's secret. */
  readonly digest: string;
  readonly expiresAt: number;
}

/** A code of a link. */
export interface LinkCode extends SignInCode {
  /** Whether the first owner makes an account with it, instead of signing in with the token. */
  readonly setUp: boolean;
}

export interface Session extends SignInCode {
  /** How people name it in a list. It gives no access. */
  readonly sessionId: string;
  readonly createdAt: number;
  /** The browser and system, in words. */
  readonly device: string;
  /** To the minute. */
  readonly lastUsedAt: number | null;
  /** When the person last used a passkey in this session. */
  readonly confirmedAt: number | null;
}

const CODE_COLUMNS = {
  digest: "digest",
  principalId: "token_id",
  tokenMac: "token_mac",
  expiresAt: "expires_at",
} as const;

const codes = new Table<LinkCode>("console_codes", { ...CODE_COLUMNS, setUp: flag("set_up") });
const sessions = new Table<Session>("console_sessions", {
  ...CODE_COLUMNS,
  sessionId: "session_id",
  createdAt: "created_at",
  device: "device",
  lastUsedAt: "last_used_at",
  confirmedAt: "confirmed_at",
});

/** Deletes the oldest rows of a principal beyond a number. */
async function deleteOldest(
  tx: Transaction,
  table: "console_codes" | "console_sessions",
  { principalId }: SignedIn,
  max: number,
): Promise<void> {
  await tx.run(
    `DELETE FROM ${table} WHERE token_id = ? AND digest NOT IN (
       SELECT digest FROM ${table} WHERE token_id = ? ORDER BY expires_at DESC, digest LIMIT ?)`,
    principalId,
    principalId,
    max,
  );
}

/** Stores a session. Each principal has at most `max`; the oldest are deleted. */
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

export function sessionsOf(db: Queries, principalId: string, now: number): Promise<Session[]> {
  const rest = "WHERE token_id = ? AND expires_at > ? ORDER BY created_at DESC, digest";
  return sessions.all(db, rest, principalId, now);
}

/** Ends one session of a principal, by the id of a list; false if there is none. */
export async function endSessionById(
  db: Queries,
  principalId: string,
  sessionId: string,
): Promise<boolean> {
  const sql = "DELETE FROM console_sessions WHERE token_id = ? AND session_id = ?";
  return (await db.run(sql, principalId, sessionId)) > 0;
}

export async function endSessionsOf(tx: Transaction, principalId: string): Promise<void> {
  await tx.run("DELETE FROM console_sessions WHERE token_id = ?", principalId);
}

export async function markSessionUsed(db: Queries, digest: string, now: number): Promise<void> {
  await db.run("UPDATE console_sessions SET last_used_at = ? WHERE digest = ?", now, digest);
}

/** Marks that the person has just used a passkey. */
export async function confirmSession(tx: Transaction, digest: string, now: number): Promise<void> {
  await tx.run("UPDATE console_sessions SET confirmed_at = ? WHERE digest = ?", now, digest);
}

/** Stores a code. Each principal has at most `max`; the oldest are deleted. */
export async function insertCode(tx: Transaction, code: LinkCode, max: number): Promise<void> {
  await codes.insert(tx, [code]);
  await deleteOldest(tx, "console_codes", code, max);
}

/** A set-up code that works; it is not taken. */
export function liveSetUpCode(
  db: Queries,
  digest: string,
  now: number,
): Promise<SignedIn | undefined> {
  return codes.get(db, "WHERE digest = ? AND expires_at > ? AND set_up = 1", digest, now);
}

/** Voids every set-up link, because one of them was used. */
export async function deleteSetUpCodes(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM console_codes WHERE set_up = 1");
}

/** Takes a code that signs in, so that a second use finds none. */
export async function takeCode(
  tx: Transaction,
  digest: string,
  now: number,
): Promise<SignedIn | undefined> {
  const code = await codes.get(
    tx,
    "WHERE digest = ? AND expires_at > ? AND set_up = 0",
    digest,
    now,
  );
  const taken = await tx.run("DELETE FROM console_codes WHERE digest = ? AND set_up = 0", digest);
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
