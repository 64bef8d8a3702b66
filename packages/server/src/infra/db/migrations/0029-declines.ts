import type { Migration } from "../migration.js";

/**
 * - decline_attempts: who requested each payment, and whether it was declined; for a short time.
 *   Addresses, instruments and buyers are stored as MACs.
 * - decline_waits: who has to wait after too many declined payments.
 */
export const declines: Migration = {
  name: "declines",
  sql: ({ integer, strict }) => `
CREATE TABLE decline_attempts (
  attempt_id TEXT NOT NULL PRIMARY KEY,
  site_key_hash TEXT NOT NULL,
  identity TEXT NOT NULL,
  admitted ${integer} NOT NULL,
  address_mac TEXT,
  instrument_mac TEXT NOT NULL,
  buyer_mac TEXT,
  requested_at ${integer} NOT NULL,
  ended_at ${integer},
  declined ${integer} NOT NULL
) ${strict};

CREATE INDEX decline_attempts_by_identity ON decline_attempts (site_key_hash, identity, ended_at);
CREATE INDEX decline_attempts_by_address ON decline_attempts (site_key_hash, address_mac, ended_at)
  WHERE admitted = 0;
CREATE INDEX decline_attempts_by_site ON decline_attempts (site_key_hash, ended_at) WHERE declined = 1;

CREATE TABLE decline_waits (
  site_key_hash TEXT NOT NULL,
  subject TEXT NOT NULL,
  kind TEXT NOT NULL,
  identity TEXT,
  began_at ${integer} NOT NULL,
  until_at ${integer} NOT NULL,
  times ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, subject)
) ${strict};
`,
};
