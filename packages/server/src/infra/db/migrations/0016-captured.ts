import type { Migration } from "../migration.js";

const PAYMENT_COLUMNS = [
  "attempt_id",
  "site_key_hash",
  "decision_id",
  "escalation_id",
  "processor",
  "account_id",
  "amount_minor",
  "currency",
  "items",
  "sealed_token",
  "token_mac",
  "parent_record_id",
  "answer",
  "about",
  "status",
  "reference",
  "reason",
  "requested_at",
  "tries",
  "next_at",
  "ended_at",
].join(", ");

/** payments, made anew: one that no order came of may turn out captured by its owner. */
export const captured: Migration = {
  name: "captured",
  sql: ({ integer, strict }) => `
ALTER TABLE payments RENAME TO payments_before;

CREATE TABLE payments (
  attempt_id TEXT NOT NULL,
  site_key_hash TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  escalation_id TEXT,
  processor TEXT NOT NULL,
  account_id TEXT,
  amount_minor ${integer} NOT NULL,
  currency TEXT NOT NULL,
  items TEXT NOT NULL,
  sealed_token TEXT,
  token_mac TEXT NOT NULL,
  parent_record_id TEXT NOT NULL,
  answer TEXT NOT NULL,
  about TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('requested', 'unknown', 'authorized', 'declined',
    'releasing', 'released', 'captured')),
  reference TEXT,
  reason TEXT,
  requested_at ${integer} NOT NULL,
  tries ${integer} NOT NULL DEFAULT 0,
  next_at ${integer},
  ended_at ${integer},
  CONSTRAINT payments_by_id PRIMARY KEY (attempt_id)
) ${strict};
INSERT INTO payments (${PAYMENT_COLUMNS}) SELECT ${PAYMENT_COLUMNS} FROM payments_before;
DROP TABLE payments_before;
CREATE INDEX payments_by_next ON payments (next_at);
CREATE INDEX payments_by_decision ON payments (decision_id);
CREATE INDEX payments_by_site ON payments (site_key_hash, requested_at, attempt_id);
CREATE INDEX payments_by_reference ON payments (site_key_hash, reference);
CREATE INDEX payments_by_account ON payments (account_id, status);
`,
};
