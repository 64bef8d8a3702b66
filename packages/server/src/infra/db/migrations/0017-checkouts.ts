import type { Migration } from "../migration.js";

/**
 * - checkouts: purchases of platforms on their way. `quote` is what was shown last, and all that is
 *   ever charged. Those that no order came of go some time after they expire.
 * - agreed_terms: every text a checkout was made under, whatever the shop says now: whoever has the
 *   signed digest can still get what it stands for.
 * - payments, orders: the checkout they came of. `challenge_url` is where a buyer confirms a payment
 *   to the card's bank, while that is waited for; `return_url` is where they come back to.
 */
export const checkouts: Migration = {
  name: "checkouts",
  sql: ({ integer, strict }) => `
CREATE TABLE checkouts (
  checkout_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  page_id TEXT NOT NULL,
  platform_url TEXT NOT NULL,
  platform_signed ${integer} NOT NULL,
  cart_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('open', 'completing', 'completed', 'cancelled')),
  content TEXT NOT NULL,
  quote TEXT NOT NULL,
  problem TEXT,
  tries ${integer} NOT NULL,
  decision_id TEXT,
  order_id TEXT,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
) ${strict};
CREATE UNIQUE INDEX checkouts_by_page ON checkouts (page_id);
CREATE INDEX checkouts_by_cart ON checkouts (cart_id);
CREATE INDEX checkouts_by_expiry ON checkouts (status, expires_at);
CREATE INDEX checkouts_by_platform
  ON checkouts (site_key_hash, platform_url, platform_signed, created_at);

CREATE TABLE agreed_terms (
  site_key_hash TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  text TEXT NOT NULL,
  first_used_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, sha256)
) ${strict};

ALTER TABLE payments ADD COLUMN checkout_id TEXT;
ALTER TABLE payments ADD COLUMN return_url TEXT;
ALTER TABLE payments ADD COLUMN challenge_url TEXT;
ALTER TABLE orders ADD COLUMN checkout_id TEXT;
ALTER TABLE sandbox_authorizations ADD COLUMN return_url TEXT;
`,
};
