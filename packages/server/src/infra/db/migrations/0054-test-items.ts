import type { Migration } from "../migration.js";

/**
 * products.test_agent_id: the test agent that a product is for; null for everything that a site sells. A test item is
 * always paused, so nobody else finds it.
 *
 * Test items used to be ordinary products with a fixed id. What is left of them is removed.
 */
export const testItems: Migration = {
  name: "test-items",
  sql: () => `
ALTER TABLE products ADD COLUMN test_agent_id TEXT;
CREATE INDEX products_by_test_agent ON products (test_agent_id) WHERE test_agent_id IS NOT NULL;
DELETE FROM products WHERE product_id = 'gatehouse-test-item' AND title = 'Test item';
`,
};
