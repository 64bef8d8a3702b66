import type { Migration } from "../migration.js";

/** sites.skills: a JSON array of what the owner set, in the owner's order; replaced as a whole. */
export const skills: Migration = {
  name: "skills",
  sql: () => `
ALTER TABLE sites ADD COLUMN skills TEXT NOT NULL DEFAULT '[]';
`,
};
