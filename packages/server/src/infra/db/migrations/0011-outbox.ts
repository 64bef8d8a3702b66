import type { Migration } from "../migration.js";

/**
 * - outbox: what is to be told to somebody outside, written with the thing it tells of. `body` is
 *   frozen: every try sends the same. A waiting one is tried from `next_at` on; the node that tries it
 *   moves that forward first, so that nobody else does meanwhile.
 * - notify_settings: where an owner wants to be told; a site without a row is told nowhere.
 */
export const outbox: Migration = {
  name: "outbox",
  sql: ({ integer, strict }) => `
CREATE TABLE outbox (
  message_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('webhook', 'mail')),
  topic TEXT NOT NULL,
  destination TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  attempts ${integer} NOT NULL,
  next_at ${integer} NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  delivered_at ${integer},
  last_problem TEXT
) ${strict};

CREATE INDEX outbox_due ON outbox (state, next_at, destination);
CREATE INDEX outbox_by_destination ON outbox (destination, state, next_at);
CREATE INDEX outbox_by_site ON outbox (site_key_hash, created_at, message_id);
CREATE INDEX outbox_by_site_state ON outbox (site_key_hash, state);

CREATE TABLE notify_settings (
  site_key_hash TEXT PRIMARY KEY,
  webhook_url TEXT,
  emails TEXT NOT NULL
) ${strict};
`,
};
