/**
 * SQLite needs a second table for a full-text index; triggers update it, one on each line. Rows are found by
 * `key`, a word made of site and product, because SQLite may change row numbers.
 */
const REMOVE_OLD =
  "DELETE FROM products_search WHERE rowid IN (SELECT rowid FROM products_search WHERE products_search MATCH 'key:' || hex(OLD.site_key_hash || ' ' || OLD.product_id));";
const ADD_NEW =
  "INSERT INTO products_search (key, site, title_words, body_words, product_id) VALUES (hex(NEW.site_key_hash || ' ' || NEW.product_id), hex(NEW.site_key_hash), NEW.title_words, NEW.body_words, NEW.product_id);";

export const SQLITE_PRODUCT_SEARCH = `
CREATE VIRTUAL TABLE products_search USING fts5(key, site, title_words, body_words, product_id UNINDEXED, tokenize = "unicode61 remove_diacritics 0");
CREATE TRIGGER products_search_insert AFTER INSERT ON products BEGIN ${ADD_NEW} END;
CREATE TRIGGER products_search_delete AFTER DELETE ON products BEGIN ${REMOVE_OLD} END;
CREATE TRIGGER products_search_update AFTER UPDATE OF title_words, body_words ON products WHEN OLD.title_words <> NEW.title_words OR OLD.body_words <> NEW.body_words BEGIN ${REMOVE_OLD} ${ADD_NEW} END;
INSERT INTO products_search (key, site, title_words, body_words, product_id) SELECT hex(site_key_hash || ' ' || product_id), hex(site_key_hash), '', '', product_id FROM products;
`;

/** What PostgreSQL searches. The expression must be the same in the index and in every query. */
export const POSTGRES_PRODUCT_WORDS =
  "(setweight(to_tsvector('simple', title_words), 'A') || setweight(to_tsvector('simple', body_words), 'B'))";

export const POSTGRES_PRODUCT_SEARCH = `
CREATE INDEX products_words ON products USING gin (${POSTGRES_PRODUCT_WORDS});
`;
