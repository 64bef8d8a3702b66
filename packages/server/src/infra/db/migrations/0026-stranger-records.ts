import type { Migration } from "../migration.js";

/**
 * What strangers leave in the logs of sites.
 * - stranger_record_days: how many bytes of records their tool calls have added in a UTC day.
 * - stranger_words: the names they give themselves and the tools they ask for. Records hold only the
 *   commitment. Once its row is deleted nobody can read the words, and the log still verifies.
 */
export const strangerRecords: Migration = {
  name: "stranger-records",
  sql: ({ integer, clustered }) => `
CREATE TABLE stranger_record_days (
  site_key_hash TEXT NOT NULL,
  day ${integer} NOT NULL,
  bytes ${integer} NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (site_key_hash, day)
) ${clustered};

CREATE TABLE stranger_words (
  site_key_hash TEXT NOT NULL,
  commitment TEXT NOT NULL,
  salt TEXT NOT NULL,
  words TEXT NOT NULL,
  kept_at ${integer} NOT NULL,
  PRIMARY KEY (site_key_hash, commitment)
) ${clustered};

CREATE INDEX stranger_words_by_time ON stranger_words (kept_at);
`,
};
