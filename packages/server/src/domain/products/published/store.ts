import type { Queries } from "../../../infra/db/database.js";
import { groupOf, type Product } from "../product.js";
import { products } from "../store.js";

const OFFERED = "WHERE site_key_hash = ? AND paused = 0";

interface OfferedPage {
  /** The last product of the page before. */
  readonly after: Product | undefined;
  readonly limit: number;
}

/** A page of the products for sale, by their id. */
export function offeredById(
  db: Queries,
  siteKeyHash: string,
  { after, limit }: OfferedPage,
): Promise<Product[]> {
  const rest = `${OFFERED} AND product_id > ? ORDER BY product_id LIMIT ?`;
  return products.all(db, rest, siteKeyHash, after?.productId ?? "", limit);
}

/** As `groupOf` names it. */
const GROUP = "COALESCE(item_group_id, product_id)";

/**
 * The same, with the variants of each product together: the rest of the last group, then others. SQLite does not
 * search an index of an expression by a pair of values.
 */
export async function offeredByGroup(
  db: Queries,
  siteKeyHash: string,
  { after, limit }: OfferedPage,
): Promise<Product[]> {
  const group = after === undefined ? "" : groupOf(after);
  const inGroup = `${OFFERED} AND ${GROUP} = ? AND product_id > ? ORDER BY product_id LIMIT ?`;
  const id = after?.productId ?? "";
  const rest =
    after === undefined ? [] : await products.all(db, inGroup, siteKeyHash, group, id, limit);
  const left = limit - rest.length;
  if (left === 0) return rest;
  const behind = `${OFFERED} AND ${GROUP} > ? ORDER BY ${GROUP}, product_id LIMIT ?`;
  return [...rest, ...(await products.all(db, behind, siteKeyHash, group, left))];
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
