import type { Migration } from "../migration.js";

/**
 * revocations, made anew: a person can lose a role at a site (`{site}/{person}/{role}`, the role they have
 * since, or `none`), every way to sign in, or one passkey.
 */
export const lostRights: Migration = {
  name: "lost-rights",
  sql: ({ integer, strict }) => `
ALTER TABLE revocations RENAME TO revocations_before;
CREATE TABLE revocations (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'edge_token', 'agent', 'agent_key', 'platform',
    'platform_credential', 'buyer', 'person', 'person_role', 'person_sign_in', 'passkey')),
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  CONSTRAINT revocations_by_name PRIMARY KEY (kind, id)
) ${strict};
INSERT INTO revocations (kind, id, revoked_at)
  SELECT kind, id, revoked_at FROM revocations_before;
DROP TABLE revocations_before;
`,
};
