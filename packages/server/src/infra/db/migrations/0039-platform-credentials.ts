import type { Migration } from "../migration.js";

/**
 * - platform_credentials: API keys and OAuth clients of admitted platforms, as digests.
 * - platforms.connection: how the owner connected a platform; NULL for plain UCP.
 * - outbox.platform, outbox.event_id: the platform whose connection a webhook follows, and the event it reports.
 * - checkouts.proof, carts.proof: how the caller was proven. `platform_signed` knew only of signatures.
 * - revocations, made anew: a credential can be revoked too.
 */
export const platformCredentials: Migration = {
  name: "platform-credentials",
  sql: ({ integer, strict }) => `
CREATE TABLE platform_credentials (
  credential_id TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  platform TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('api_key', 'oauth_client')),
  digest TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  last_used_at ${integer},
  revoked_at ${integer}
) ${strict};
CREATE UNIQUE INDEX platform_credentials_by_digest ON platform_credentials (digest);
CREATE INDEX platform_credentials_by_platform ON platform_credentials (site_key_hash, platform);

ALTER TABLE platforms ADD COLUMN connection TEXT;
ALTER TABLE outbox ADD COLUMN platform TEXT;
ALTER TABLE outbox ADD COLUMN event_id TEXT;

DROP INDEX checkouts_by_platform;
ALTER TABLE checkouts ADD COLUMN proof TEXT NOT NULL DEFAULT 'none';
UPDATE checkouts SET proof = 'signature' WHERE platform_signed = 1;
ALTER TABLE checkouts DROP COLUMN platform_signed;
ALTER TABLE carts ADD COLUMN proof TEXT NOT NULL DEFAULT 'none';
UPDATE carts SET proof = 'signature' WHERE platform_signed = 1;
ALTER TABLE carts DROP COLUMN platform_signed;

ALTER TABLE revocations RENAME TO revocations_before;
CREATE TABLE revocations (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'edge_token', 'agent', 'agent_key', 'platform',
    'platform_credential')),
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  CONSTRAINT revocations_by_id PRIMARY KEY (kind, id)
) ${strict};
INSERT INTO revocations (kind, id, revoked_at)
  SELECT kind, id, revoked_at FROM revocations_before;
DROP TABLE revocations_before;
`,
};
