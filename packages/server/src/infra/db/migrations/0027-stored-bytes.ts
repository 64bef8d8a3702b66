import type { Migration } from "../migration.js";

/**
 * How many bytes each holder has stored at a site through carts, checkouts and replies; written with
 * the rows it counts. `holder` says whose share a row uses, and `bytes` how much of it. Older rows, and
 * rows that became an order, use no share. A `pinned` reply is not deleted before it expires.
 */
export const storedBytes: Migration = {
  name: "stored-bytes",
  sql: ({ integer, clustered }) => `
CREATE TABLE stored_bytes (
  site_key_hash TEXT NOT NULL,
  holder TEXT NOT NULL,
  bytes ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, holder)
) ${clustered};

ALTER TABLE carts ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE carts ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0;
ALTER TABLE checkouts ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE checkouts ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0;
ALTER TABLE ucp_replies ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE ucp_replies ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0;
ALTER TABLE ucp_replies ADD COLUMN pinned ${integer} NOT NULL DEFAULT 0;

DROP INDEX carts_by_site;
CREATE INDEX carts_by_holder ON carts (site_key_hash, holder, created_at);
CREATE INDEX checkouts_by_holder ON checkouts (site_key_hash, holder, created_at);
CREATE INDEX ucp_replies_by_holder ON ucp_replies (site_key_hash, holder, created_at);
`,
};
