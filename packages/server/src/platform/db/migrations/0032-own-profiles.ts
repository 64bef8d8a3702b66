import type { Migration } from "../migrate.js";

/** own_profiles: whether a site's UCP profile stands on its own domain, and when that was looked at. */
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
