import type { Migration } from "../migration.js";

/**
 * - people: who can sign in to the console. Somebody who was removed stays as a name, because records
 *   name the id. Until the address is proven, they count as the person who vouched for them.
 * - person_access: the role of a person at a site, or at all (`*`).
 * - person_links: invitations and sign-in links, as digests; taken once.
 * - passkeys, passkey_answers: public keys, and challenges that were answered, until they expire.
 * - console_sessions: `token_id` can be a person's id. Sessions are listed by an id and a device, and
 *   know when the person last used a passkey.
 * - revocations, made anew: a person can be removed too.
 */
export const people: Migration = {
  name: "people",
  sql: ({ integer, strict }) => `
CREATE TABLE people (
  person_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT,
  created_by TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  joined_at ${integer},
  removed_at ${integer},
  proven_at ${integer},
  vouched_by TEXT NOT NULL
) ${strict};
CREATE UNIQUE INDEX people_by_email ON people (email);
CREATE INDEX people_by_creation ON people (created_at, person_id);

CREATE TABLE person_access (
  person_id TEXT NOT NULL,
  site TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('operator', 'owner', 'reviewer', 'auditor')),
  CONSTRAINT person_access_by_person PRIMARY KEY (person_id, site)
) ${strict};
CREATE INDEX person_access_by_site ON person_access (site);

CREATE TABLE person_links (
  digest TEXT PRIMARY KEY,
  person_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('invitation', 'sign_in')),
  mailed ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
) ${strict};
CREATE INDEX person_links_by_person ON person_links (person_id);

CREATE TABLE passkeys (
  credential_id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter ${integer} NOT NULL,
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  last_used_at ${integer}
) ${strict};
CREATE INDEX passkeys_by_person ON passkeys (person_id);

CREATE TABLE passkey_answers (
  digest TEXT PRIMARY KEY,
  expires_at ${integer} NOT NULL
) ${strict};

ALTER TABLE console_sessions ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
ALTER TABLE console_sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE console_sessions ADD COLUMN last_used_at ${integer};
ALTER TABLE console_sessions ADD COLUMN confirmed_at ${integer};

ALTER TABLE revocations RENAME TO revocations_before;
CREATE TABLE revocations (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'edge_token', 'agent', 'agent_key', 'platform',
    'platform_credential', 'person')),
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  CONSTRAINT revocations_by_kind PRIMARY KEY (kind, id)
) ${strict};
INSERT INTO revocations (kind, id, revoked_at)
  SELECT kind, id, revoked_at FROM revocations_before;
DROP TABLE revocations_before;
`,
};
