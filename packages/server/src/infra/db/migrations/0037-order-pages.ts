import type { Migration } from "../migration.js";

/** orders.page_id: names the page of an order that a mandate placed. Others have that of their checkout. */
export const orderPages: Migration = {
  name: "order-pages",
  sql: () => `
ALTER TABLE orders ADD COLUMN page_id TEXT;
CREATE UNIQUE INDEX orders_by_page ON orders (page_id) WHERE page_id IS NOT NULL;
`,
};
