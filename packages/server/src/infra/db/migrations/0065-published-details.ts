import type { Migration } from "../migration.js";

/**
 * products.identifier_exists: 0 if its owner says that a product has no GTIN, and not both a brand and an MPN. NULL if
 * nobody has said it. replaced_products has the same column.
 */
export const publishedDetails: Migration = {
  name: "published-details",
  sql: ({ integer }) => `
ALTER TABLE products ADD COLUMN identifier_exists ${integer};
ALTER TABLE replaced_products ADD COLUMN identifier_exists ${integer};
`,
};
