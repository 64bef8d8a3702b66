import type { Migration } from "../migration.js";

/**
 * reviews: what rules gave to a person to decide, one row for an escalated decision. `request` is what
 * was asked for, frozen; states other than `pending` are final. `approved_by` lists who has said yes
 * so far, where more than one must.
 */
export const reviews: Migration = {
  name: "reviews",
  sql: ({ integer, strict }) => `
CREATE TABLE reviews (
  escalation_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  mandate_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('pending', 'approved', 'denied', 'expired', 'withdrawn', 'invalidated')),
  rule_id TEXT NOT NULL,
  request TEXT NOT NULL,
  record_id TEXT NOT NULL,
  approvals_needed ${integer} NOT NULL,
  approved_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  decided_at ${integer},
  decided_by TEXT,
  reason_code TEXT,
  note TEXT,
  decided_record_id TEXT
) ${strict};

CREATE INDEX reviews_by_site ON reviews (site_key_hash, created_at, escalation_id);
CREATE INDEX reviews_by_expiry ON reviews (status, expires_at);
`,
};
