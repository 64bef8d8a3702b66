import type { Migration } from "../migration.js";

/**
 * sites.check_due_at: when the proof of a domain is checked next. Its index holds only sites that are
 * checked, and the others answer lists, counts and doctor without reading every site.
 */
export const siteChecks: Migration = {
  name: "site-checks",
  sql: ({ integer }) => `
ALTER TABLE sites ADD COLUMN check_due_at ${integer};

UPDATE sites SET check_due_at = checked_at + 86400000 WHERE checked_at IS NOT NULL;

CREATE INDEX sites_by_check_due ON sites (check_due_at, site_key_hash)
  WHERE deleted_at IS NULL AND status = 'verified' AND verification_method <> 'operator';

CREATE INDEX sites_by_creation ON sites (created_at, site_key_hash) WHERE deleted_at IS NULL;

CREATE INDEX sites_with_problem ON sites (domain) WHERE deleted_at IS NULL AND problem IS NOT NULL;

CREATE INDEX sites_paused ON sites (domain) WHERE deleted_at IS NULL AND paused_at IS NOT NULL;
`,
};
