import type { Migration } from "../migration.js";

/**
 * products.identifier_exists: 0 if its owner says that a product has no GTIN, and not both a brand and an MPN. NULL if
 * nobody has said it. replaced_products has the same column.
 *
 * products_by_group: the variants of a product together, as the ACP feed lists them.
 */
export const publishedDetails: Migration = {
  name: "published-details",
  sql: ({ integer }) => `
ALTER TABLE products ADD COLUMN identifier_exists ${integer};
ALTER TABLE replaced_products ADD COLUMN identifier_exists ${integer};
CREATE INDEX products_by_group ON products (site_key_hash, COALESCE(item_group_id, product_id), product_id)
  WHERE paused = 0;
`,
};
