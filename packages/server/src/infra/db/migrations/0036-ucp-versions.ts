import type { Migration } from "../migration.js";

/**
 * sites.ucp_version: the version of UCP of the profile at the root of a site's domain. checkouts.ucp_version:
 * the version in which the platform is told of the order.
 */
export const ucpVersions: Migration = {
  name: "ucp-versions",
  sql: () => `
ALTER TABLE sites ADD COLUMN ucp_version TEXT NOT NULL DEFAULT '2026-08-25';
ALTER TABLE checkouts ADD COLUMN ucp_version TEXT NOT NULL DEFAULT '2026-08-25';
`,
};
