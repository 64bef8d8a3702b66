import type { Migration } from "../migration.js";

/**
 * - carts: what platforms gather for a buyer. Nothing is set aside, and prices are those of the
 *   moment they are read. They go when they expire.
 * - shop_settings: how a site sells through platforms: shipping, taxes, terms.
 * - ucp_replies: what was answered to a key of idempotency, so that the same request is answered
 *   again and done once. Written in the transaction of what it answers to.
 */
export const carts: Migration = {
  name: "carts",
  sql: ({ integer, strict, clustered }) => `
CREATE TABLE carts (
  cart_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  platform_url TEXT NOT NULL,
  platform_signed ${integer} NOT NULL,
  lines TEXT NOT NULL,
  buyer TEXT NOT NULL,
  context TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  cancelled_at ${integer}
) ${strict};
CREATE INDEX carts_by_expiry ON carts (expires_at);
CREATE INDEX carts_by_site ON carts (site_key_hash);

CREATE TABLE shop_settings (
  site_key_hash TEXT PRIMARY KEY,
  settings TEXT NOT NULL
) ${strict};

CREATE TABLE ucp_replies (
  site_key_hash TEXT NOT NULL,
  caller TEXT NOT NULL,
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  digest TEXT NOT NULL,
  status ${integer},
  body TEXT,
  created_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, caller, operation, idempotency_key)
) ${clustered};
CREATE INDEX ucp_replies_by_time ON ucp_replies (created_at);
`,
};
