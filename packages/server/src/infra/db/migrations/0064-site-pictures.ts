import type { Migration } from "../migration.js";

/** sites.picture: the digest of the picture of the shop, among its product_pictures. NULL if it has none. */
export const sitePictures: Migration = {
  name: "site-pictures",
  sql: () => `
ALTER TABLE sites ADD COLUMN picture TEXT;
`,
};
