import type { Queries, Transaction } from "../../../infra/db/database.js";

/** The texts of a product, and the words by which a search finds it. */
export interface WordsRow {
  readonly site_key_hash: string;
  readonly product_id: string;
  readonly title: string;
  readonly description: string;
  readonly sku: string | null;
  readonly title_words: string;
  readonly body_words: string;
}

/** Products in the order of their keys, after one of them. Those that no search finds have no words. */
export function productsWithWords(
  db: Queries,
  after: Pick<WordsRow, "site_key_hash" | "product_id">,
  limit: number,
): Promise<WordsRow[]> {
  return db.all<WordsRow>(
    `SELECT site_key_hash, product_id, title, description, sku, title_words, body_words
     FROM products
     WHERE (site_key_hash, product_id) > (?, ?) AND (title_words <> '' OR body_words <> '')
     ORDER BY site_key_hash, product_id LIMIT ?`,
    after.site_key_hash,
    after.product_id,
    limit,
  );
}

/** Stores other words for a product. Nothing happens if somebody has changed it since it was read. */
export async function replaceWords(
  tx: Transaction,
  row: WordsRow,
  words: Pick<WordsRow, "title_words" | "body_words">,
): Promise<void> {
  await tx.run(
    `UPDATE products SET title_words = ?, body_words = ?
     WHERE site_key_hash = ? AND product_id = ? AND title_words = ? AND body_words = ?`,
    words.title_words,
    words.body_words,
    row.site_key_hash,
    row.product_id,
    row.title_words,
    row.body_words,
  );
}
