import type { Migration } from "../migration.js";

/**
 * questions: what agents asked through actions, one row for each text of a skill. `question_key` is the digest of
 * the text as it is compared. The owner answers, dismisses and deletes them.
 *
 * notify_settings.questions: 1 if the owner is notified of new ones.
 */
export const questions: Migration = {
  name: "questions",
  sql: ({ integer, strict }) => `
CREATE TABLE questions (
  question_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  skill TEXT NOT NULL,
  question_key TEXT NOT NULL,
  question TEXT NOT NULL,
  asker_id TEXT,
  asker_name TEXT,
  first_asked_at ${integer} NOT NULL,
  last_asked_at ${integer} NOT NULL,
  times_asked ${integer} NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('new', 'answered', 'dismissed')),
  answer TEXT,
  published ${integer} NOT NULL,
  answered_at ${integer},
  answered_by TEXT,
  notified ${integer} NOT NULL
) ${strict};
CREATE UNIQUE INDEX questions_by_text ON questions (site_key_hash, skill, question_key);
CREATE INDEX questions_by_site ON questions (site_key_hash, first_asked_at, question_id);
CREATE INDEX questions_by_state ON questions (site_key_hash, state, first_asked_at, question_id);
CREATE INDEX questions_by_notice ON questions (site_key_hash) WHERE notified = 0;
CREATE INDEX questions_by_last ON questions (last_asked_at) WHERE published = 0;
ALTER TABLE notify_settings ADD COLUMN questions ${integer} NOT NULL DEFAULT 1;
`,
};
