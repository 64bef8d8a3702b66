import type { Migration } from "../migration.js";

/** test_openings: what test purchases have turned on at a site, to be turned off when the last of them ends. */
export const testOpenings: Migration = {
  name: "test-openings",
  sql: ({ integer, strict }) => `
CREATE TABLE test_openings (
  site_key_hash TEXT PRIMARY KEY,
  opened_skill ${integer} NOT NULL,
  opened_mandates ${integer} NOT NULL
) ${strict};
`,
};
