import type { Migration } from "../migration.js";

/**
 * sites.picture: the digest of the picture of the shop, among its product_pictures. NULL if it has none.
 *
 * install_checks: what the last check of the documents on the website found, as JSON, and on which domain.
 */
export const sitePictures: Migration = {
  name: "site-pictures",
  sql: ({ integer, strict }) => `
ALTER TABLE sites ADD COLUMN picture TEXT;

CREATE TABLE install_checks (
  site_key_hash TEXT PRIMARY KEY,
  domain TEXT NOT NULL,
  findings TEXT NOT NULL,
  checked_at ${integer} NOT NULL
) ${strict};
`,
};
