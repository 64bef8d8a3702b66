import type { Migration } from "../migration.js";

/**
 * - processor_accounts: whose key asks a real processor. A row is ended, not changed, when another
 *   account takes its place: what was asked with it is brought to its end with it. Its secrets are
 *   sealed, and erased once nothing is open.
 * - payments.account_id: the account an attempt was, and always will be, asked with.
 * - orders: what has become of the authorization since, when it lapses, and whether its owner was
 *   told so; follow_at: when it is asked about again by itself.
 * - processor_events: what a processor told of already; it tells everything more than once.
 */
export const stripe: Migration = {
  name: "stripe",
  sql: ({ integer, strict }) => `
CREATE TABLE processor_accounts (
  account_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  live ${integer} NOT NULL,
  external_id TEXT,
  publishable_key TEXT,
  shared_tokens ${integer} NOT NULL,
  sealed_key TEXT,
  sealed_webhook_secret TEXT,
  sealed_approval_secret TEXT,
  connected_at ${integer} NOT NULL,
  ended_at ${integer}
) ${strict};
CREATE INDEX processor_accounts_by_site ON processor_accounts (site_key_hash, connected_at);

ALTER TABLE payments ADD COLUMN account_id TEXT;
CREATE INDEX payments_by_reference ON payments (site_key_hash, reference);
CREATE INDEX payments_by_account ON payments (account_id, status);

ALTER TABLE orders ADD COLUMN lapses_at ${integer};
ALTER TABLE orders ADD COLUMN captured_minor ${integer};
ALTER TABLE orders ADD COLUMN payment_changed_at ${integer};
ALTER TABLE orders ADD COLUMN lapse_told_at ${integer};
ALTER TABLE orders ADD COLUMN follow_at ${integer};
CREATE INDEX orders_by_attempt ON orders (attempt_id);
CREATE INDEX orders_by_lapse ON orders (payment, lapses_at);

CREATE TABLE processor_events (
  site_key_hash TEXT NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  received_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, event_id)
) ${strict};
CREATE INDEX processor_events_by_time ON processor_events (received_at);
`,
};
