import type { Queries, SqlValue, Transaction } from "../../../infra/db/database.js";

/** A product whose sale has begun or ended. */
export interface DueSale {
  readonly siteKeyHash: string;
  readonly productId: string;
}

/** The products whose price should have changed by now, site by site. */
export async function dueSales(db: Queries, now: number, limit: number): Promise<DueSale[]> {
  const rows = await db.all<Record<"site_key_hash" | "product_id", string>>(
    `SELECT site_key_hash, product_id FROM products WHERE sale_changes_at <= ?
     ORDER BY site_key_hash, product_id LIMIT ?`,
    now,
    limit,
  );
  return rows.map(({ site_key_hash, product_id }) => ({
    siteKeyHash: site_key_hash,
    productId: product_id,
  }));
}

/** Sets the price of a moment, as `priceAt` does. */
function setPrice(now: number): { readonly sql: string; readonly values: readonly SqlValue[] } {
  return {
    sql: `price_minor = CASE WHEN (sale_from IS NULL OR sale_from <= ?) AND (sale_until IS NULL OR sale_until > ?)
         THEN sale_minor ELSE regular_minor END,
       sale_changes_at = CASE WHEN sale_from > ? THEN sale_from WHEN sale_until > ? THEN sale_until END`,
    values: [now, now, now, now],
  };
}

/** Gives a product the price of this moment. Nothing happens if its owner has changed it since. */
export async function changePrice(
  tx: Transaction,
  { siteKeyHash, productId }: DueSale,
  now: number,
): Promise<void> {
  const price = setPrice(now);
  await tx.run(
    `UPDATE products SET changed_at = CAST(? AS BIGINT), ${price.sql}
     WHERE site_key_hash = ? AND product_id = ? AND sale_changes_at <= ?`,
    now,
    ...price.values,
    siteKeyHash,
    productId,
    now,
  );
}

/** The same for what an import replaced: a sale can have begun or ended since. */
export async function changeReplacedPrices(
  tx: Transaction,
  siteKeyHash: string,
  now: number,
): Promise<void> {
  const price = setPrice(now);
  await tx.run(
    `UPDATE replaced_products SET ${price.sql} WHERE site_key_hash = ? AND sale_changes_at <= ?`,
    ...price.values,
    siteKeyHash,
    now,
  );
}
