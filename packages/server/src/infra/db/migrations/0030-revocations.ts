import type { Migration } from "../migration.js";

/**
 * - revocations: everything that was revoked, including for sites that were deleted since. A file beside
 *   the database holds the same, so that an older database cannot bring back what was revoked.
 */
export const revocations: Migration = {
  name: "revocations",
  sql: ({ integer, strict }) => `
CREATE TABLE revocations (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'edge_token', 'agent', 'agent_key', 'platform')),
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  PRIMARY KEY (kind, id)
) ${strict};

INSERT INTO revocations (kind, id, revoked_at)
  SELECT 'token', token_id, revoked_at FROM admin_tokens WHERE revoked_at IS NOT NULL;
INSERT INTO revocations (kind, id, revoked_at)
  SELECT 'edge_token', token_id, revoked_at FROM edge_tokens WHERE revoked_at IS NOT NULL;
INSERT INTO revocations (kind, id, revoked_at)
  SELECT 'agent', agent_id, COALESCE(changed_at, created_at) FROM agents WHERE status = 'revoked';
INSERT INTO revocations (kind, id, revoked_at)
  SELECT 'agent_key', site_key_hash || '/' || kid, created_at FROM agent_keys
  WHERE status = 'revoked';
`,
};
