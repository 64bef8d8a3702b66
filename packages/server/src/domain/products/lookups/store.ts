import type { Queries } from "../../../infra/db/database.js";
import type { Product } from "../product.js";
import { products } from "../store.js";

/** The currencies of a site's prices, of paused products too. */
export async function currenciesOf(db: Queries, siteKeyHash: string): Promise<readonly string[]> {
  const sql = `SELECT DISTINCT currency FROM products
    WHERE site_key_hash = ? AND test_agent_id IS NULL ORDER BY currency`;
  const rows = await db.all<{ currency: string }>(sql, siteKeyHash);
  return rows.map(({ currency }) => currency);
}

/** The pictures of products by their ids, of paused products too. Products without one are left out. */
export async function picturesOf(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await products.among(db, siteKeyHash, "product_id", ids);
  return new Map(
    rows.flatMap(({ productId, imageUrl }) => (imageUrl === null ? [] : [[productId, imageUrl]])),
  );
}

/** Whether one of these products is the item of a test. */
export async function hasTestItem(
  db: Pick<Queries, "findEach">,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<boolean> {
  const rows = await products.findEach(db, { site_key_hash: siteKeyHash }, "product_id", ids);
  return rows.some(({ testAgentId }) => testAgentId !== null);
}

/** The first products that can be ordered now, by their id. */
export function firstOffered(db: Queries, siteKeyHash: string, limit: number): Promise<Product[]> {
  const rest = `WHERE site_key_hash = ? AND paused = 0 AND availability <> 'out_of_stock'
    AND (quantity IS NULL OR quantity > reserved) ORDER BY product_id LIMIT ?`;
  return products.all(db, rest, siteKeyHash, limit);
}
