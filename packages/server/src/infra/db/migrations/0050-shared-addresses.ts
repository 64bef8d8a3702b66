import type { Migration } from "../migration.js";

/**
 * people.shared_email: the address of an invitation that somebody else has, whom the inviter cannot see; NULL for
 * others. The two become one person when the mailed link of the invitation is used.
 */
export const sharedAddresses: Migration = {
  name: "shared-addresses",
  sql: () => `
ALTER TABLE people ADD COLUMN shared_email TEXT;
CREATE INDEX people_by_shared_email ON people (shared_email);
`,
};
