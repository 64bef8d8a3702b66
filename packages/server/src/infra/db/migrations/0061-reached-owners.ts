import type { Migration } from "../migration.js";

/** notify_settings.reached_at: when a message was first delivered to one of its addresses, since they were set. */
export const reachedOwners: Migration = {
  name: "reached-owners",
  sql: ({ integer }) => `
ALTER TABLE notify_settings ADD COLUMN reached_at ${integer};
`,
};
