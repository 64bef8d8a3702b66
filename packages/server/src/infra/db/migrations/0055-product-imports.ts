import type { Migration } from "../migration.js";

/**
 * product_imports: the last import of a file into a site's products, while nothing else has changed them. It can be
 * undone.
 *
 * replaced_products: the products that it changed or removed, as they were before. `was_listed` is 0 for those that it
 * added. `written_quantity` is the stock that it wrote, from which sales have been taken since.
 */
export const productImports: Migration = {
  name: "product-imports",
  sql: ({ integer, strict }) => `
CREATE TABLE product_imports (
  site_key_hash TEXT PRIMARY KEY,
  import_id TEXT NOT NULL,
  imported_at ${integer} NOT NULL
) ${strict};
CREATE TABLE replaced_products (
  site_key_hash TEXT NOT NULL,
  product_id TEXT NOT NULL,
  was_listed ${integer} NOT NULL,
  written_quantity ${integer},
  title TEXT,
  description TEXT,
  price_minor ${integer},
  currency TEXT,
  image_url TEXT,
  url TEXT,
  availability TEXT,
  quantity ${integer},
  paused ${integer},
  import_id TEXT,
  title_words TEXT,
  body_words TEXT,
  from_feed ${integer},
  missing_since ${integer},
  feed_paused ${integer},
  PRIMARY KEY (site_key_hash, product_id)
) ${strict};
`,
};
