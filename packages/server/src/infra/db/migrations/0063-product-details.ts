import type { Migration } from "../migration.js";

/**
 * products.brand and the others: what buyers and search engines need to recognize a product. `additional_image_urls` and
 * `options` are lists as JSON, NULL if they are empty.
 *
 * products.sale_minor: the price of a sale, with its times. `price_minor` stays what the product costs now;
 * `regular_minor` is what it costs without the sale, and NULL where there is none. `sale_changes_at` is when the
 * price changes next.
 *
 * replaced_products has the same columns.
 */
export const productDetails: Migration = {
  name: "product-details",
  sql: ({ integer }) => {
    const texts = ["brand", "gtin", "mpn", "category", "additional_image_urls", "item_group_id"];
    const numbers = ["regular_minor", "sale_minor", "sale_from", "sale_until", "sale_changes_at"];
    const columns = [
      ...[...texts, "options"].map((name) => `${name} TEXT`),
      ...numbers.map((name) => `${name} ${integer}`),
    ];
    const added = ["products", "replaced_products"].flatMap((table) =>
      columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};`),
    );
    return `
${added.join("\n")}
CREATE INDEX products_by_sale ON products (sale_changes_at) WHERE sale_changes_at IS NOT NULL;
`;
  },
};
