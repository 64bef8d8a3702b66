import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf, selectNumber } from "../../infra/db/statements.js";

/** A text that a stranger chose, with the salt that proves which record names it. */
export interface StoredWords {
  readonly commitment: string;
  readonly salt: string;
  readonly words: string;
}

/** Adds bytes to a day of a site, and returns what all nodes together have added to it. */
export async function addRecordBytes(
  tx: Transaction,
  { siteKeyHash, day }: { readonly siteKeyHash: string; readonly day: number },
  bytes: number,
): Promise<number> {
  await tx.add("stranger_record_days", { site_key_hash: siteKeyHash, day }, { bytes });
  return recordBytes(tx, siteKeyHash, day);
}

export function recordBytes(db: Queries, siteKeyHash: string, day: number): Promise<number> {
  const from = "stranger_record_days WHERE site_key_hash = ? AND day = ?";
  return selectNumber(db, "bytes", from, siteKeyHash, day);
}

export async function insertWords(
  tx: Transaction,
  siteKeyHash: string,
  { commitment, salt, words }: StoredWords,
  now: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO stranger_words (site_key_hash, commitment, salt, words, kept_at)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (site_key_hash, commitment) DO NOTHING`,
    siteKeyHash,
    commitment,
    salt,
    words,
    now,
  );
}

/** Deletes counts of earlier days, and words that were stored before a time. */
export async function deleteExpiredStrangerRecords(
  tx: Transaction,
  { day, wordsBefore }: { readonly day: number; readonly wordsBefore: number },
): Promise<void> {
  await tx.run("DELETE FROM stranger_record_days WHERE day < ?", day);
  await tx.run("DELETE FROM stranger_words WHERE kept_at < ?", wordsBefore);
}

export const deleteStrangerRecords = deleterOf("stranger_record_days", "stranger_words");
