import type { Migration } from "../migration.js";

/**
 * - console_codes: one-time codes of links that sign somebody in; taken once.
 * - console_sessions: who is signed in at the console. Kept by digests of what browsers hold; each
 *   stands for a token, and ends with it.
 */
export const consoleSessions: Migration = {
  name: "console",
  sql: ({ integer, strict }) => `
CREATE TABLE console_codes (
  digest TEXT PRIMARY KEY,
  token_id TEXT NOT NULL,
  token_mac TEXT NOT NULL,
  expires_at ${integer} NOT NULL
) ${strict};

CREATE TABLE console_sessions (
  digest TEXT PRIMARY KEY,
  token_id TEXT NOT NULL,
  token_mac TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
) ${strict};
CREATE INDEX console_sessions_by_token ON console_sessions (token_id, created_at);
`,
};
