import type { Migration } from "../migration.js";

/**
 * review_verdicts: what somebody chose for a review, until it takes effect. It can be undone before
 * `due_at`. `problem` says why it did not take effect; the review is still pending then.
 */
export const reviewVerdicts: Migration = {
  name: "review-verdicts",
  sql: ({ integer, strict }) => `
CREATE TABLE review_verdicts (
  escalation_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'deny')),
  reason_code TEXT,
  note TEXT,
  actor TEXT NOT NULL,
  due_at ${integer} NOT NULL,
  problem TEXT
) ${strict};
CREATE INDEX review_verdicts_by_due ON review_verdicts (due_at);
CREATE INDEX review_verdicts_by_site ON review_verdicts (site_key_hash);
`,
};
