import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { json, Table } from "../../infra/db/table.js";
import type { ShopQuote } from "./shop-quote.js";

interface KeptQuote {
  readonly siteKeyHash: string;
  /** The digest of what was asked. */
  readonly question: string;
  readonly answer: ShopQuote;
  readonly askedAt: number;
}

const quotes = new Table<KeptQuote>("shop_quotes", {
  siteKeyHash: "site_key_hash",
  question: "question",
  answer: json<ShopQuote>("answer"),
  askedAt: "asked_at",
});

export function keptQuote(
  db: Queries,
  siteKeyHash: string,
  question: string,
): Promise<KeptQuote | undefined> {
  const rest = "WHERE site_key_hash = ? AND question = ?";
  return quotes.get(db, rest, siteKeyHash, question);
}

export function keepQuote(db: Queries, kept: KeptQuote): Promise<void> {
  return quotes.upsert(db, kept, { key: ["site_key_hash", "question"] });
}

/** Deletes quotes that were asked for before a time. */
export async function deleteOldQuotes(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM shop_quotes WHERE asked_at < ?", before);
}

export const deleteShopQuotes = deleterOf("shop_quotes");
