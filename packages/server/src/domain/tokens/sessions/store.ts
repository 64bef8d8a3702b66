import type { Queries, Transaction } from "../../../infra/db/database.js";

/** The token somebody signed in with: by its id, and by a mac of it, which a new one does not have. */
export interface SignedIn {
  readonly tokenId: string;
  readonly tokenMac: string;
}

export interface Session extends SignedIn {
  /** Of what the browser holds. */
  readonly digest: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface Row {
  digest: string;
  token_id: string;
  token_mac: string;
  created_at: number;
  expires_at: number;
}

const rowOf = ({ digest, tokenId, tokenMac, createdAt, expiresAt }: Session) => ({
  digest,
  token_id: tokenId,
  token_mac: tokenMac,
  created_at: createdAt,
  expires_at: expiresAt,
});

/** Keeps a session; of one token only so many are kept, and the oldest go first. */
export async function insertSession(tx: Transaction, session: Session, max: number): Promise<void> {
  await tx.insert("console_sessions", [rowOf(session)]);
  await tx.run(
    `DELETE FROM console_sessions WHERE token_id = ? AND digest NOT IN (
       SELECT digest FROM console_sessions WHERE token_id = ?
       ORDER BY created_at DESC, digest LIMIT ?)`,
    session.tokenId,
    session.tokenId,
    max,
  );
}

export async function liveSession(
  db: Queries,
  digest: string,
  now: number,
): Promise<Session | undefined> {
  const sql = "SELECT * FROM console_sessions WHERE digest = ? AND expires_at > ?";
  const row = await db.get<Row>(sql, digest, now);
  if (row === undefined) return undefined;
  return {
    digest: row.digest,
    tokenId: row.token_id,
    tokenMac: row.token_mac,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export async function endSession(db: Queries, digest: string): Promise<void> {
  await db.run("DELETE FROM console_sessions WHERE digest = ?", digest);
}

/** Keeps a code; of one token only so many are open, and the oldest go first. */
export async function insertCode(
  tx: Transaction,
  { digest, tokenId, tokenMac, expiresAt }: Omit<Session, "createdAt">,
  max: number,
): Promise<void> {
  const row = { digest, token_id: tokenId, token_mac: tokenMac, expires_at: expiresAt };
  await tx.insert("console_codes", [row]);
  await tx.run(
    `DELETE FROM console_codes WHERE token_id = ? AND digest NOT IN (
       SELECT digest FROM console_codes WHERE token_id = ?
       ORDER BY expires_at DESC, digest LIMIT ?)`,
    tokenId,
    tokenId,
    max,
  );
}

/** Uses a code up. A second use finds none. */
export async function takeCode(
  tx: Transaction,
  digest: string,
  now: number,
): Promise<SignedIn | undefined> {
  const sql = "SELECT token_id, token_mac FROM console_codes WHERE digest = ? AND expires_at > ?";
  const row = await tx.get<Pick<Row, "token_id" | "token_mac">>(sql, digest, now);
  const taken = await tx.run("DELETE FROM console_codes WHERE digest = ?", digest);
  if (row === undefined || taken !== 1) return undefined;
  return { tokenId: row.token_id, tokenMac: row.token_mac };
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
