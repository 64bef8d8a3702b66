import type { Migration } from "../migration.js";

/** own_profiles: whether a site serves its UCP profile on its own domain, and when that was checked. */
export const ownProfiles: Migration = {
  name: "own-profiles",
  sql: ({ integer, strict }) => `
CREATE TABLE own_profiles (
  site_key_hash TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  served ${integer} NOT NULL,
  checked_at ${integer} NOT NULL
) ${strict};
`,
};
