import type { Migration } from "../migration.js";

/**
 * - order_buyers: finds the orders of a buyer by the words of a name or by the mail address, without storing either
 *   again. Filled when the buyers of checkouts are read, which starts over for all checkouts with an order.
 * - orders_refunded: the orders whose money went back, in full or in part.
 */
export const orderSearch: Migration = {
  name: "order-search",
  sql: ({ strict }) => `
CREATE TABLE order_buyers (
  site_key_hash TEXT NOT NULL,
  buyer_mac TEXT NOT NULL,
  order_id TEXT NOT NULL,
  PRIMARY KEY (site_key_hash, buyer_mac, order_id)
) ${strict};
CREATE INDEX order_buyers_by_order ON order_buyers (order_id);
UPDATE checkouts SET buyer_mac = NULL WHERE order_id IS NOT NULL;
CREATE INDEX orders_refunded ON orders (site_key_hash, created_at, order_id)
  WHERE refunded_minor > 0;
`,
};
