import type { Migration } from "../migration.js";

/** people.subject: who the person is at the company's sign-in service, `{issuer} {sub}`; NULL until the first time. */
export const oidc: Migration = {
  name: "oidc",
  sql: () => `
ALTER TABLE people ADD COLUMN subject TEXT;
CREATE UNIQUE INDEX people_by_subject ON people (subject);
`,
};
