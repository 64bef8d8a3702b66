import type { Migration } from "../migration.js";

/**
 * orders.number: a short number that people can say, unique and rising for each site. order_numbers has the
 * last one, so that a new order waits for one row and searches for nothing. Earlier orders are numbered in the
 * order in which they were placed.
 */
export const orderNumbers: Migration = {
  name: "order-numbers",
  sql: ({ integer, clustered }) => `
CREATE TABLE order_numbers (
  site_key_hash TEXT NOT NULL PRIMARY KEY,
  last ${integer} NOT NULL
) ${clustered};
ALTER TABLE orders ADD COLUMN number ${integer} NOT NULL DEFAULT 0;
UPDATE orders SET number = 1000 + numbered.place
  FROM (SELECT order_id AS id,
          ROW_NUMBER() OVER (PARTITION BY site_key_hash ORDER BY created_at, order_id) AS place
        FROM orders) AS numbered
  WHERE orders.order_id = numbered.id;
INSERT INTO order_numbers (site_key_hash, last)
  SELECT site_key_hash, MAX(number) FROM orders GROUP BY site_key_hash;
CREATE UNIQUE INDEX orders_by_number ON orders (site_key_hash, number);
`,
};
