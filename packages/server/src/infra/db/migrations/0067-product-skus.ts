import type { Migration } from "../migration.js";

/**
 * products.sku: the number under which the shop keeps the product. NULL if it has none. replaced_products has the same
 * column. Nodes of the version before leave it as it is.
 */
export const productSkus: Migration = {
  name: "product-skus",
  sql: () => `
ALTER TABLE products ADD COLUMN sku TEXT;
ALTER TABLE replaced_products ADD COLUMN sku TEXT;
`,
};
