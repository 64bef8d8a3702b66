import type { Migration } from "../migration.js";

/**
 * SQLite needs a second table for a full-text index; triggers update it, one on each line. Rows are found by
 * `key`, a word made of site and product, because SQLite may change row numbers.
 */
const REMOVE_OLD =
  "DELETE FROM products_search WHERE rowid IN (SELECT rowid FROM products_search WHERE products_search MATCH 'key:' || hex(OLD.site_key_hash || ' ' || OLD.product_id));";
const ADD_NEW =
  "INSERT INTO products_search (key, site, title_words, body_words, product_id) VALUES (hex(NEW.site_key_hash || ' ' || NEW.product_id), hex(NEW.site_key_hash), NEW.title_words, NEW.body_words, NEW.product_id);";

const PRODUCT_SEARCH = {
  sqlite: `
CREATE VIRTUAL TABLE products_search USING fts5(key, site, title_words, body_words, product_id UNINDEXED, tokenize = "unicode61 remove_diacritics 0");
CREATE TRIGGER products_search_insert AFTER INSERT ON products BEGIN ${ADD_NEW} END;
CREATE TRIGGER products_search_delete AFTER DELETE ON products BEGIN ${REMOVE_OLD} END;
CREATE TRIGGER products_search_update AFTER UPDATE OF title_words, body_words ON products WHEN OLD.title_words <> NEW.title_words OR OLD.body_words <> NEW.body_words BEGIN ${REMOVE_OLD} ${ADD_NEW} END;
INSERT INTO products_search (key, site, title_words, body_words, product_id) SELECT hex(site_key_hash || ' ' || product_id), hex(site_key_hash), '', '', product_id FROM products;
`,
  postgres: `
CREATE INDEX products_words ON products USING gin ((setweight(to_tsvector('simple', title_words), 'A') || setweight(to_tsvector('simple', body_words), 'B')));
`,
};

/**
 * - site_signing_keys: the ES256 key by which a site signs what it answers to platforms, and those it
 *   had before. The private half is sealed.
 * - products: the words of title and description, folded, one blank between two of them: what is
 *   searched, alike on both databases. Those of older rows are folded when they are next imported.
 */
export const ucp: Migration = {
  name: "ucp",
  sql: ({ integer, strict, dialect }) => `
CREATE TABLE site_signing_keys (
  site_key_hash TEXT NOT NULL,
  kid TEXT NOT NULL,
  public_x TEXT NOT NULL,
  public_y TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  retired_at ${integer},
  PRIMARY KEY (site_key_hash, kid)
) ${strict};
CREATE UNIQUE INDEX site_signing_keys_current ON site_signing_keys (site_key_hash)
  WHERE retired_at IS NULL;

ALTER TABLE products ADD COLUMN title_words TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN body_words TEXT NOT NULL DEFAULT '';
${PRODUCT_SEARCH[dialect]}
UPDATE products SET title_words = lower(title), body_words = lower(description);
`,
};
