import type { Migration } from "../migration.js";

const REVIEW_COLUMNS = [
  "escalation_id",
  "site_key_hash",
  "decision_id",
  "actor_id",
  "mandate_id",
  "status",
  "rule_id",
  "request",
  "record_id",
  "approvals_needed",
  "approved_by",
  "created_at",
  "expires_at",
  "decided_at",
  "decided_by",
  "reason_code",
  "note",
  "decided_record_id",
].join(", ");

/**
 * - sites: which processor settles, and whether a policy was published: two of the gates checkout
 *   stands behind, kept with the site because its documents follow them.
 * - products: what a site sells. `quantity` is what can be sold, null where it is not counted;
 *   `reserved` of it is being paid for right now. `import_id` is the import that wrote it last.
 * - payments: every time a processor was, or is about to be, asked to authorize something. The row
 *   is there before the processor is asked. `sealed_token` is kept while the outcome is open.
 * - orders: what was bought, by any protocol.
 * - sandbox_authorizations: the books of the embedded processor, which are not ours to write in the
 *   transactions of a decision.
 * - reviews, made anew: they may be `paying`, and hold a sealed token while they are open.
 */
export const commerce: Migration = {
  name: "commerce",
  sql: ({ integer, strict }) => `
ALTER TABLE sites ADD COLUMN processor TEXT;
ALTER TABLE sites ADD COLUMN policy_published ${integer} NOT NULL DEFAULT 0;
UPDATE sites SET policy_published = 1
  WHERE site_key_hash IN (SELECT site_key_hash FROM policy_versions);

CREATE TABLE products (
  site_key_hash TEXT NOT NULL,
  product_id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  price_minor ${integer} NOT NULL,
  currency TEXT NOT NULL,
  image_url TEXT,
  url TEXT,
  availability TEXT NOT NULL,
  quantity ${integer},
  reserved ${integer} NOT NULL DEFAULT 0,
  import_id TEXT NOT NULL,
  changed_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, product_id)
) ${strict};

CREATE TABLE payments (
  attempt_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  escalation_id TEXT,
  processor TEXT NOT NULL,
  amount_minor ${integer} NOT NULL,
  currency TEXT NOT NULL,
  items TEXT NOT NULL,
  sealed_token TEXT,
  token_mac TEXT NOT NULL,
  parent_record_id TEXT NOT NULL,
  answer TEXT NOT NULL,
  about TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('requested', 'unknown', 'authorized', 'declined', 'releasing', 'released')),
  reference TEXT,
  reason TEXT,
  requested_at ${integer} NOT NULL,
  tries ${integer} NOT NULL DEFAULT 0,
  next_at ${integer},
  ended_at ${integer}
) ${strict};
CREATE INDEX payments_by_next ON payments (next_at);
CREATE INDEX payments_by_decision ON payments (decision_id);
CREATE INDEX payments_by_site ON payments (site_key_hash, requested_at, attempt_id);

CREATE TABLE orders (
  order_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  attempt_id TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  skill TEXT NOT NULL,
  protocol TEXT NOT NULL,
  mandate_id TEXT,
  items TEXT NOT NULL,
  amount_minor ${integer} NOT NULL,
  currency TEXT NOT NULL,
  payment TEXT NOT NULL,
  created_at ${integer} NOT NULL
) ${strict};
CREATE UNIQUE INDEX orders_by_decision ON orders (decision_id);
CREATE INDEX orders_by_site ON orders (site_key_hash, created_at, order_id);

CREATE TABLE sandbox_authorizations (
  idempotency_key TEXT PRIMARY KEY,
  reference TEXT NOT NULL,
  site_key_hash TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  amount_minor ${integer} NOT NULL,
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  created_at ${integer} NOT NULL
) ${strict};
CREATE UNIQUE INDEX sandbox_by_reference ON sandbox_authorizations (reference);

ALTER TABLE reviews RENAME TO reviews_before;

CREATE TABLE reviews (
  escalation_id TEXT NOT NULL,
  site_key_hash TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  mandate_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'paying', 'approved', 'payment_failed',
    'denied', 'expired', 'withdrawn', 'invalidated')),
  rule_id TEXT NOT NULL,
  request TEXT NOT NULL,
  sealed_token TEXT,
  record_id TEXT NOT NULL,
  approvals_needed ${integer} NOT NULL,
  approved_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  decided_at ${integer},
  decided_by TEXT,
  reason_code TEXT,
  note TEXT,
  decided_record_id TEXT,
  CONSTRAINT reviews_by_id PRIMARY KEY (escalation_id)
) ${strict};
INSERT INTO reviews (${REVIEW_COLUMNS}) SELECT ${REVIEW_COLUMNS} FROM reviews_before;
DROP TABLE reviews_before;
CREATE INDEX reviews_by_site ON reviews (site_key_hash, created_at, escalation_id);
CREATE INDEX reviews_by_expiry ON reviews (status, expires_at);
CREATE INDEX reviews_by_decision ON reviews (site_key_hash, decision_id);
`,
};
