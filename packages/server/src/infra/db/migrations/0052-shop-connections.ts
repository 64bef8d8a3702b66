import type { Migration } from "../migration.js";

/**
 * shop_connections: the system that a site is connected to. If it sells, the site's products, quotes and orders come from
 * it. `sync` is the full list of products that is arriving, and `synced` what the last one came to.
 *
 * shop_connection_codes: codes that connect a shop system once, as digests.
 *
 * shop_quotes: what the shop system answered to a cart, by a digest of the question.
 *
 * shop_products: the version of each product that the shop system has sent, removed ones included, and the full list
 * that it was in last.
 *
 * shop_order_events: changes of orders that the shop system has reported, with the answer to each.
 *
 * payments.in_shop, orders.in_shop: 1 if the goods are reserved and ordered in the shop system.
 *
 * payment_changes.shop_event_id, order_adjustments.shop_event_id: the event of the shop system that asked for it.
 *
 * orders.shop_order_id: the id of the order in the shop system; null until it has answered.
 *
 * revocations, made anew: a connection can end (`shop_connection`).
 */
export const shopConnections: Migration = {
  name: "shop-connections",
  sql: ({ integer, strict }) => `
CREATE TABLE shop_connections (
  site_key_hash TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  system TEXT NOT NULL,
  sells ${integer} NOT NULL,
  cart_link TEXT,
  sealed_secret TEXT NOT NULL,
  edge_token_id TEXT NOT NULL,
  connected_at ${integer} NOT NULL,
  seen_at ${integer} NOT NULL,
  sync TEXT,
  synced TEXT
) ${strict};
CREATE UNIQUE INDEX shop_connections_by_id ON shop_connections (connection_id);
CREATE TABLE shop_connection_codes (
  code_hash TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at ${integer} NOT NULL
) ${strict};
CREATE INDEX shop_connection_codes_by_site ON shop_connection_codes (site_key_hash);
CREATE TABLE shop_quotes (
  site_key_hash TEXT NOT NULL,
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  asked_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, question)
) ${strict};
CREATE INDEX shop_quotes_by_time ON shop_quotes (asked_at);
CREATE TABLE shop_products (
  site_key_hash TEXT NOT NULL,
  product_id TEXT NOT NULL,
  version ${integer} NOT NULL,
  sync_id TEXT,
  received_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, product_id)
) ${strict};
CREATE TABLE shop_order_events (
  site_key_hash TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  change_digest TEXT NOT NULL,
  answer TEXT,
  received_at ${integer} NOT NULL,
  PRIMARY KEY (connection_id, event_id)
) ${strict};
CREATE INDEX shop_order_events_by_order ON shop_order_events (order_id);
CREATE INDEX shop_order_events_by_site ON shop_order_events (site_key_hash);
CREATE INDEX shop_order_events_by_time ON shop_order_events (received_at);
ALTER TABLE payments ADD COLUMN in_shop ${integer} NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN in_shop ${integer} NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN shop_order_id TEXT;
ALTER TABLE payment_changes ADD COLUMN shop_event_id TEXT;
ALTER TABLE order_adjustments ADD COLUMN shop_event_id TEXT;
ALTER TABLE revocations RENAME TO revocations_before;
CREATE TABLE revocations (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'edge_token', 'agent', 'agent_key', 'platform',
    'platform_credential', 'buyer', 'person', 'person_role', 'person_sign_in', 'passkey', 'shop_connection')),
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  CONSTRAINT revocations_named PRIMARY KEY (kind, id)
) ${strict};
INSERT INTO revocations (kind, id, revoked_at)
  SELECT kind, id, revoked_at FROM revocations_before;
DROP TABLE revocations_before;
`,
};
