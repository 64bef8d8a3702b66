import type { Queries, Transaction } from "../../../infra/db/database.js";
import { json, Table } from "../../../infra/db/table.js";

/** Who made a code, as records name them. */
interface CodeMaker {
  readonly kind: "token" | "person";
  readonly id: string;
  readonly role: string;
}

/** A code that connects a shop system to a site once. Only its digest is stored. */
export interface ConnectionCode {
  readonly codeHash: string;
  readonly siteKeyHash: string;
  readonly createdBy: CodeMaker;
  /** The SHA-256 of what the shop system must prove that it has kept; null for a code that an owner pastes. */
  readonly challenge: string | null;
  readonly attempts: number;
  readonly expiresAt: number;
}

/** A code that somebody else has seen must not stay usable by trial. */
const ATTEMPTS_MAX = 5;

const codes = new Table<ConnectionCode>("shop_connection_codes", {
  codeHash: "code_hash",
  siteKeyHash: "site_key_hash",
  createdBy: json<CodeMaker>("created_by"),
  challenge: "challenge",
  attempts: "attempts",
  expiresAt: "expires_at",
});

/** Writes a code. The earlier ones of its site stop working. */
export async function writeCode(tx: Transaction, code: ConnectionCode): Promise<void> {
  await tx.run("DELETE FROM shop_connection_codes WHERE site_key_hash = ?", code.siteKeyHash);
  await codes.insert(tx, [code]);
}

export function liveCode(
  db: Queries,
  codeHash: string,
  now: number,
): Promise<ConnectionCode | undefined> {
  return codes.get(db, "WHERE code_hash = ? AND expires_at > ?", codeHash, now);
}

/** Counts a try to use a code. False if there were too many. */
export async function tryCode(db: Queries, codeHash: string): Promise<boolean> {
  const sql =
    "UPDATE shop_connection_codes SET attempts = attempts + 1 WHERE code_hash = ? AND attempts < ?";
  return (await db.run(sql, codeHash, ATTEMPTS_MAX)) === 1;
}

/** Takes a code, so that a second use finds none. */
export async function takeCode(tx: Transaction, codeHash: string): Promise<boolean> {
  return (await tx.run("DELETE FROM shop_connection_codes WHERE code_hash = ?", codeHash)) === 1;
}

export async function deleteExpiredCodes(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM shop_connection_codes WHERE expires_at <= ?", now);
}
