import type { Queries } from "../../../infra/db/database.js";
import type { Product } from "../product.js";
import { products } from "../store.js";

const OFFERED = "WHERE site_key_hash = ? AND paused = 0";

/** A page of the products for sale, by their id. */
export function offeredAfter(
  db: Queries,
  siteKeyHash: string,
  page: { readonly after: string; readonly limit: number },
): Promise<Product[]> {
  const rest = `${OFFERED} AND product_id > ? ORDER BY product_id LIMIT ?`;
  return products.all(db, rest, siteKeyHash, page.after, page.limit);
}

/**
 * Numbers that change with the products for sale. Sales do not change a product, but its stock, so that is counted
 * too. Two opposite changes of stock at the same moment can go unnoticed until the next one.
 */
export async function offeredVersion(db: Queries, siteKeyHash: string): Promise<string> {
  const row = await db.get<Record<"count" | "changed" | "stock" | "sold", unknown>>(
    `SELECT COUNT(*) AS count, MAX(changed_at) AS changed, SUM(quantity - reserved) AS stock,
       SUM(CASE WHEN quantity <= reserved THEN 1 ELSE 0 END) AS sold FROM products ${OFFERED}`,
    siteKeyHash,
  );
  return [row?.count, row?.changed, row?.stock, row?.sold].map(String).join(" ");
}
