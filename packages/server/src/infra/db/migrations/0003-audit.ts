import type { Migration } from "../migration.js";

/**
 * - audit_chains: the head of every log. A site has one open log; `chain` is its origin,
 *   `{host}/audit/{epoch}`, `ordinal` counts the logs of a site, whatever hosts they had. `frontier` holds the roots of the complete subtrees, largest first, in hex.
 * - audit_records: `text` is the canonical record; `closed` the subtrees its leaf completed, smallest
 *   first, in hex: the node (level, index) is in the row of its last leaf, so a proof is a few reads.
 *   A fork cannot be written: one record a place, one successor a record.
 * - audit_exports: what an export in parts was taken from, so that its parts fit together.
 * - policy_versions: the owner's rules, each version for ever: records name the one they followed.
 * - sites.audit_public: who may see checkpoints and proofs.
 */
export const audit: Migration = {
  name: "audit",
  sql: ({ integer, strict, appendOnly }) => `
CREATE TABLE audit_chains (
  chain TEXT PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  host TEXT NOT NULL,
  epoch ${integer} NOT NULL,
  ordinal ${integer} NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  size ${integer} NOT NULL,
  frontier TEXT NOT NULL,
  last_hash TEXT NOT NULL,
  recorded_at ${integer} NOT NULL,
  key_id TEXT NOT NULL,
  opened_at ${integer} NOT NULL,
  UNIQUE (host, epoch),
  UNIQUE (site_key_hash, ordinal)
) ${strict};

CREATE UNIQUE INDEX audit_chains_one_open ON audit_chains (site_key_hash) WHERE state = 'open';

CREATE TABLE audit_records (
  chain TEXT NOT NULL,
  seq ${integer} NOT NULL,
  prev_hash TEXT NOT NULL,
  record_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  recorded_at ${integer} NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  sig TEXT NOT NULL,
  key_id TEXT NOT NULL,
  closed TEXT NOT NULL,
  PRIMARY KEY (chain, seq),
  UNIQUE (chain, prev_hash)
) ${strict};

${appendOnly("audit_records")}

CREATE TABLE audit_exports (
  token_id TEXT NOT NULL,
  chain TEXT NOT NULL,
  day TEXT NOT NULL,
  format TEXT NOT NULL,
  first_seq ${integer} NOT NULL,
  count ${integer} NOT NULL,
  closed ${integer} NOT NULL,
  key_id TEXT NOT NULL,
  expires_at ${integer} NOT NULL,
  PRIMARY KEY (token_id, chain, day, format)
) ${strict};

CREATE TABLE policy_versions (
  site_key_hash TEXT NOT NULL,
  version ${integer} NOT NULL,
  digest TEXT NOT NULL,
  document TEXT NOT NULL,
  published_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, version)
) ${strict};

${appendOnly("policy_versions")}

ALTER TABLE sites ADD COLUMN audit_public TEXT NOT NULL DEFAULT 'full'
  CHECK (audit_public IN ('full', 'hourly', 'owner'));
`,
};
