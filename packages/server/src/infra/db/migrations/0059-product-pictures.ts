import type { Migration } from "../migration.js";

/**
 * product_pictures: pictures that owners uploaded, by the SHA-256 of their bytes. `size` is the number of bytes. The
 * bytes come last, so that the columns before them are read without them.
 */
export const productPictures: Migration = {
  name: "product-pictures",
  sql: ({ integer, bytes, strict }) => `
CREATE TABLE product_pictures (
  site_key_hash TEXT NOT NULL,
  digest TEXT NOT NULL,
  type TEXT NOT NULL,
  size ${integer} NOT NULL,
  stored_at ${integer} NOT NULL,
  bytes ${bytes} NOT NULL,
  PRIMARY KEY (site_key_hash, digest)
) ${strict};
`,
};
