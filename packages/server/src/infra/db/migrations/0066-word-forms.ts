import { storedWords } from "../../search-words.js";
import type { Transaction } from "../database.js";
import type { Migration } from "../migration.js";

const ROWS_PER_STEP = 500;

interface Row {
  readonly site_key_hash: string;
  readonly product_id: string;
  readonly title: string;
  readonly description: string;
  readonly title_words: string;
  readonly body_words: string;
}

async function rewriteWords(tx: Transaction, table: string): Promise<void> {
  let last = { site_key_hash: "", product_id: "" };
  for (;;) {
    const rows = await tx.all<Row>(
      `SELECT site_key_hash, product_id, title, description, title_words, body_words FROM ${table}
       WHERE (site_key_hash, product_id) > (?, ?) AND (title_words <> '' OR body_words <> '')
       ORDER BY site_key_hash, product_id LIMIT ${ROWS_PER_STEP}`,
      last.site_key_hash,
      last.product_id,
    );
    for (const row of rows) {
      const [title, body] = [storedWords(row.title), storedWords(row.description)];
      if (title === row.title_words && body === row.body_words) continue;
      await tx.run(
        `UPDATE ${table} SET title_words = ?, body_words = ?
         WHERE site_key_hash = ? AND product_id = ? AND title_words = ? AND body_words = ?`,
        title,
        body,
        row.site_key_hash,
        row.product_id,
        row.title_words,
        row.body_words,
      );
    }
    last = rows.at(-1) ?? last;
    if (rows.length < ROWS_PER_STEP) return;
  }
}

/**
 * products.title_words and body_words: besides each word its other forms, so that a search for roses finds a rose.
 * replaced_products the same. Words are empty where nothing is found, and stay so. Nodes of the version before write
 * words without their forms until they are replaced, and what such a node writes meanwhile stays. Those products are found
 * as before until they change.
 */
export const wordForms: Migration = {
  name: "word-forms",
  sql: () => "",
  async fill(tx) {
    // In the order in which an import is undone, which a node of the version before may do meanwhile.
    await rewriteWords(tx, "replaced_products");
    await rewriteWords(tx, "products");
  },
};
