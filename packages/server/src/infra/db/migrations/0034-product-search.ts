import type { Migration } from "../migration.js";
import { markedWords, POSTGRES_PRODUCT_WORDS } from "../product-search.js";

const COLUMNS = ["key", "title_words", "body_words"];
const STORED = ["site_key_hash", "product_id"];
const ALL = [...COLUMNS, ...STORED].join(", ");
const TABLE = [...COLUMNS, ...STORED.map((name) => `${name} UNINDEXED`)].join(", ");

/** The columns of a product as they are searched; `row` is `NEW.` in a trigger. */
function searched(row: string): string {
  const site = `${row}site_key_hash`;
  return [
    `hex(${site} || ' ' || ${row}product_id)`,
    markedWords(`${row}title_words`, site),
    markedWords(`${row}body_words`, site),
    site,
    `${row}product_id`,
  ].join(", ");
}

// Triggers are on one line, because scripts are split where a line ends with a semicolon.
const REMOVE_OLD =
  "DELETE FROM products_search WHERE rowid IN (SELECT rowid FROM products_search WHERE products_search MATCH 'key:' || hex(OLD.site_key_hash || ' ' || OLD.product_id));";
const ADD_NEW = `INSERT INTO products_search (${ALL}) VALUES (${searched("NEW.")});`;

const SEARCH = {
  sqlite: `
DROP TRIGGER products_search_insert;
DROP TRIGGER products_search_update;
DROP TABLE products_search;
CREATE VIRTUAL TABLE products_search USING fts5(${TABLE}, tokenize = "ascii");
CREATE TRIGGER products_search_insert AFTER INSERT ON products BEGIN ${ADD_NEW} END;
CREATE TRIGGER products_search_update AFTER UPDATE OF title_words, body_words ON products WHEN OLD.title_words <> NEW.title_words OR OLD.body_words <> NEW.body_words BEGIN ${REMOVE_OLD} ${ADD_NEW} END;
INSERT INTO products_search (${ALL}) SELECT ${searched("")} FROM products;
`,
  postgres: `
DROP INDEX products_words;
CREATE INDEX products_words ON products USING gin (${POSTGRES_PRODUCT_WORDS});
`,
};

/**
 * Words are searched by site: before, a search read every product with the words, of all sites. They are
 * split at blanks alone, as they were written: two rules for what is a letter would let one site's text
 * pass for words of another.
 */
export const productSearch: Migration = {
  name: "product-search",
  sql: ({ dialect }) => SEARCH[dialect],
};
