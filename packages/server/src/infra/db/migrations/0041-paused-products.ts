import type { Migration } from "../migration.js";

/** products.paused: 1 while nobody can find or buy the product. Its words are empty then, so no search has them. */
export const pausedProducts: Migration = {
  name: "paused-products",
  sql: ({ integer }) => `
ALTER TABLE products ADD COLUMN paused ${integer} NOT NULL DEFAULT 0;
`,
};
