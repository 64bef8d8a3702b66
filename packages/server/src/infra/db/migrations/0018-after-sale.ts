import type { Migration } from "../migration.js";

/**
 * - orders: `revision` counts what became of an order, so that whoever is told hears it in order;
 *   `status` follows from its events and adjustments, and is kept so that lists need not ask for them.
 * - order_events: what was sent, and how far it got. Only ever added to.
 * - order_adjustments: what was cancelled, refunded or disputed, each once, as it stands now. What goes
 *   back is counted in `amount_minor`, of the order's currency.
 * - order_notes: what people write down about an order, for themselves.
 * - checkouts: where its platform hears of the order, and the terms it was shown under.
 * - outbox: who is told, what of (`about`, with its place among all that is told of it: a later one
 *   waits for those before it), since when it is to be delivered, and whether its receiver refused it.
 * - sandbox_authorizations, sandbox_returns: what an owner simulates at the embedded processor.
 */
export const afterSale: Migration = {
  name: "after-sale",
  sql: ({ integer, strict }) => `
ALTER TABLE orders ADD COLUMN revision ${integer} NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN status TEXT NOT NULL DEFAULT 'open';

CREATE TABLE order_events (
  event_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  order_id TEXT NOT NULL,
  revision ${integer} NOT NULL,
  type TEXT NOT NULL,
  line_items TEXT NOT NULL,
  carrier TEXT,
  tracking_number TEXT,
  tracking_url TEXT,
  description TEXT,
  occurred_at ${integer} NOT NULL,
  created_at ${integer} NOT NULL
) ${strict};
CREATE INDEX order_events_by_order ON order_events (order_id, revision);

CREATE TABLE order_adjustments (
  order_id TEXT NOT NULL,
  adjustment_id TEXT NOT NULL,
  site_key_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('refund', 'dispute', 'cancellation')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
  amount_minor ${integer},
  line_items TEXT NOT NULL,
  description TEXT,
  occurred_at ${integer} NOT NULL,
  changed_at ${integer} NOT NULL,
  PRIMARY KEY (order_id, adjustment_id)
) ${strict};

CREATE TABLE order_notes (
  note_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  order_id TEXT NOT NULL,
  text TEXT NOT NULL,
  written_by TEXT NOT NULL,
  created_at ${integer} NOT NULL
) ${strict};
CREATE INDEX order_notes_by_order ON order_notes (order_id, created_at, note_id);

ALTER TABLE checkouts ADD COLUMN webhook_url TEXT;
ALTER TABLE checkouts ADD COLUMN policies TEXT;

ALTER TABLE outbox ADD COLUMN audience TEXT NOT NULL DEFAULT 'owner';
ALTER TABLE outbox ADD COLUMN about TEXT;
ALTER TABLE outbox ADD COLUMN place ${integer};
ALTER TABLE outbox ADD COLUMN since ${integer};
UPDATE outbox SET since = created_at;
ALTER TABLE outbox ADD COLUMN refused ${integer} NOT NULL DEFAULT 0;
CREATE INDEX outbox_by_about ON outbox (about, destination, place);

ALTER TABLE sandbox_authorizations ADD COLUMN captured_minor ${integer};
CREATE TABLE sandbox_returns (
  return_id TEXT PRIMARY KEY,
  reference TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('refund', 'dispute')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
  amount_minor ${integer} NOT NULL,
  created_at ${integer} NOT NULL
) ${strict};
CREATE INDEX sandbox_returns_by_reference ON sandbox_returns (reference, created_at, return_id);
`,
};
