import type { Migration } from "../migration.js";

/**
 * Times are milliseconds since 1970 UTC. Sealed values are text of the secrets module.
 * - installation: facts about this installation, by name.
 * - signing_keys: at most one `current` and one `next` key per purpose; retired ones stay listed.
 * - sites: a deleted site keeps its row, so that its key is never given out again.
 * - admin_tokens: only a SHA-256 of each token. `sites` is a JSON array of site key hashes, or null for all.
 * - jobs: who runs a recurring job next, and until when its lease holds.
 * - exact_limits: theoretical arrival times of limits that guard money, in microseconds.
 */
export const foundation: Migration = {
  name: "foundation",
  sql: ({ integer, strict }) => `
CREATE TABLE installation (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) ${strict};

CREATE TABLE signing_keys (
  kid TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('card', 'audit')),
  state TEXT NOT NULL CHECK (state IN ('next', 'current', 'retired')),
  public_x TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  activated_at ${integer},
  retired_at ${integer},
  listed_until ${integer}
) ${strict};

CREATE UNIQUE INDEX signing_keys_one_per_slot ON signing_keys (purpose, state) WHERE state <> 'retired';

CREATE TABLE sites (
  site_key_hash TEXT PRIMARY KEY,
  site_key TEXT NOT NULL UNIQUE,
  domain TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'verified')),
  version ${integer} NOT NULL,
  verification_token TEXT NOT NULL,
  verification_method TEXT CHECK (verification_method IN ('dns', 'file', 'meta', 'operator')),
  verification_reason TEXT,
  verified_at ${integer},
  checked_at ${integer},
  failed_days ${integer} NOT NULL,
  problem TEXT,
  created_at ${integer} NOT NULL,
  changed_at ${integer} NOT NULL,
  deleted_at ${integer}
) ${strict};

CREATE UNIQUE INDEX sites_one_verified_per_domain ON sites (domain)
  WHERE status = 'verified' AND deleted_at IS NULL;

CREATE INDEX sites_by_domain ON sites (domain);

CREATE TABLE admin_tokens (
  token_id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('operator', 'owner', 'reviewer', 'auditor')),
  sites TEXT,
  created_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  revoked_at ${integer}
) ${strict};

CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  next_run_at ${integer} NOT NULL,
  lease_owner TEXT,
  lease_until ${integer},
  last_run_at ${integer},
  last_error TEXT
) ${strict};

CREATE TABLE exact_limits (
  limit_key TEXT PRIMARY KEY,
  arrival_us ${integer} NOT NULL
) ${strict};
`,
};
