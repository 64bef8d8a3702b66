import type { Migration } from "../migration.js";

/**
 * - payment_changes: captures and refunds that an owner asked for here, written before the provider is asked.
 * - orders.refunded_minor: what has gone back to the buyer by refunds, so that lists can say it. Lists can also
 *   be sorted by amount.
 */
export const paymentChanges: Migration = {
  name: "payment-changes",
  sql: ({ integer, strict }) => `
CREATE TABLE payment_changes (
  change_id TEXT NOT NULL PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  order_id TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('capture', 'refund')),
  amount_minor ${integer} NOT NULL,
  currency TEXT NOT NULL,
  reason TEXT,
  requested_by TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('requested', 'unknown', 'completed', 'failed')),
  failure TEXT,
  requested_at ${integer} NOT NULL,
  ended_at ${integer},
  tries ${integer} NOT NULL DEFAULT 0,
  next_at ${integer}
) ${strict};
CREATE INDEX payment_changes_by_order ON payment_changes (order_id, requested_at);
CREATE INDEX payment_changes_by_next ON payment_changes (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX payment_changes_by_site ON payment_changes (site_key_hash, status);
CREATE INDEX orders_by_amount ON orders (site_key_hash, amount_minor, order_id);
ALTER TABLE orders ADD COLUMN refunded_minor ${integer} NOT NULL DEFAULT 0;
UPDATE orders SET refunded_minor = returned.minor
  FROM (SELECT order_id AS id, SUM(amount_minor) AS minor FROM order_adjustments
        WHERE kind = 'refund' AND status = 'completed' GROUP BY order_id) AS returned
  WHERE orders.order_id = returned.id;
`,
};
