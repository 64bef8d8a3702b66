import type { Migration } from "../migration.js";

/** sites.paused_at: since when the owner has paused sales; null while the site sells. */
export const pause: Migration = {
  name: "pause",
  sql: ({ integer }) => `
ALTER TABLE sites ADD COLUMN paused_at ${integer};
`,
};
