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
  readonly expiresAt: number;
}

const codes = new Table<ConnectionCode>("shop_connection_codes", {
  codeHash: "code_hash",
  siteKeyHash: "site_key_hash",
  createdBy: json<CodeMaker>("created_by"),
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

/** Takes a code, so that a second use finds none. */
export async function takeCode(tx: Transaction, codeHash: string): Promise<boolean> {
  return (await tx.run("DELETE FROM shop_connection_codes WHERE code_hash = ?", codeHash)) === 1;
}

export async function deleteExpiredCodes(tx: Transaction, now: number): Promise<void> {
  await tx.run("DELETE FROM shop_connection_codes WHERE expires_at <= ?", now);
}
