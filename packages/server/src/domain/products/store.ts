import { containing } from "../../infra/db/containing.js";
import type { Database, Queries, Transaction } from "../../infra/db/database.js";
import { type Availability, type ListedProduct, type Product, wordsOf } from "./product.js";

/** A row of products; searches read it too. */
export interface ProductRow {
  product_id: string;
  title: string;
  description: string;
  price_minor: number;
  currency: string;
  image_url: string | null;
  url: string | null;
  availability: Availability;
  quantity: number | null;
  reserved: number;
  changed_at: number;
}

export function productOf(row: ProductRow): Product {
  return Object.freeze({
    productId: row.product_id,
    title: row.title,
    description: row.description,
    price: Object.freeze({ minor: row.price_minor, currency: row.currency }),
    imageUrl: row.image_url,
    url: row.url,
    availability: row.availability,
    quantity: row.quantity,
    reserved: row.reserved,
    changedAt: row.changed_at,
  });
}

const COLUMNS = [
  "title",
  "description",
  "price_minor",
  "currency",
  "image_url",
  "url",
  "availability",
  "quantity",
  "import_id",
  "changed_at",
  "title_words",
  "body_words",
] as const;

/** Inserts a product, or updates it except for the columns that stay. */
function upsert(staying: readonly string[]): string {
  const changed = COLUMNS.filter((name) => !staying.includes(name));
  const marks = COLUMNS.map(() => "?").join(", ");
  return `INSERT INTO products (site_key_hash, product_id, ${COLUMNS.join(", ")})
     VALUES (?, ?, ${marks}) ON CONFLICT (site_key_hash, product_id) DO UPDATE SET
       ${changed.map((name) => `${name} = excluded.${name}`).join(", ")}`;
}

/**
 * Writes products of a list; what is being paid for meanwhile stays reserved. One that `updates` keeps
 * what its lines do not speak of: a list of prices must not make a shop stop counting.
 */
export async function writeProducts(
  tx: Transaction,
  siteKeyHash: string,
  products: readonly ListedProduct[],
  {
    importId,
    now,
    updates,
  }: { readonly importId: string; readonly now: number; readonly updates: boolean },
): Promise<void> {
  for (const product of inOrder(products, ({ productId }) => productId)) {
    const { price, unsaid } = product;
    const said = unsaid.includes("description") ? ["body_words"] : [];
    const sql = upsert(updates ? [...unsaid, ...said] : []);
    await tx.run(
      sql,
      siteKeyHash,
      product.productId,
      product.title,
      product.description,
      price.minor,
      price.currency,
      product.imageUrl,
      product.url,
      product.availability,
      product.quantity,
      importId,
      now,
      wordsOf(product.title).join(" "),
      wordsOf(product.description).join(" "),
    );
  }
}

/** Removes what an import did not name; answers how many that were. */
export async function removeOthers(
  tx: Transaction,
  siteKeyHash: string,
  importId: string,
): Promise<number> {
  const sql = "DELETE FROM products WHERE site_key_hash = ? AND import_id <> ?";
  return tx.run(sql, siteKeyHash, importId);
}

/** Removes one; whether it was there. */
export async function deleteProduct(
  tx: Transaction,
  siteKeyHash: string,
  productId: string,
): Promise<boolean> {
  const sql = "DELETE FROM products WHERE site_key_hash = ? AND product_id = ?";
  return (await tx.run(sql, siteKeyHash, productId)) === 1;
}

export async function countProducts(db: Queries, siteKeyHash: string): Promise<number> {
  const sql = "SELECT COUNT(*) AS count FROM products WHERE site_key_hash = ?";
  return Number((await db.get<{ count: number }>(sql, siteKeyHash))?.count ?? 0);
}

export async function productById(
  db: Queries,
  siteKeyHash: string,
  productId: string,
): Promise<Product | undefined> {
  const sql = "SELECT * FROM products WHERE site_key_hash = ? AND product_id = ?";
  const row = await db.get<ProductRow>(sql, siteKeyHash, productId);
  return row && productOf(row);
}

/** Products of a site by their id; with `search`, those whose title or id holds it. */
export async function listProducts(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  search: string | undefined,
  page: { readonly after: string; readonly limit: number },
): Promise<Product[]> {
  const match = containing(db.dialect, ["title", "product_id"], search);
  const rows = await db.all<ProductRow>(
    `SELECT * FROM products WHERE site_key_hash = ? AND product_id > ?${match.sql}
     ORDER BY product_id LIMIT ?`,
    siteKeyHash,
    page.after,
    ...match.values,
    page.limit,
  );
  return rows.map(productOf);
}

/** All writers lock product rows in this order, so that imports and orders cannot deadlock. */
function inOrder<T>(list: readonly T[], idOf: (item: T) => string): T[] {
  return [...list].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** How many of a product are wanted. */
export interface Wanted {
  readonly id: string;
  readonly quantity: number;
}

/** Sums the quantities of each product, in the order in which rows are locked. */
function summed(wanted: readonly Wanted[]): readonly Wanted[] {
  const quantities = new Map<string, number>();
  for (const { id, quantity } of wanted) {
    quantities.set(id, (quantities.get(id) ?? 0) + quantity);
  }
  return inOrder([...quantities], ([id]) => id).map(([id, quantity]) => ({ id, quantity }));
}

/** Reserves stock during a payment. Throws if there is not enough, because that was checked before. */
export async function reserve(
  tx: Transaction,
  siteKeyHash: string,
  wanted: readonly Wanted[],
): Promise<void> {
  for (const { id, quantity } of summed(wanted)) {
    const changed = await tx.run(
      `UPDATE products SET reserved = reserved + ? WHERE site_key_hash = ? AND product_id = ?
         AND (quantity IS NULL OR quantity - reserved >= ?)`,
      quantity,
      siteKeyHash,
      id,
      quantity,
    );
    if (changed !== 1)
      throw new Error("a product ran out inside the transaction that asked for it");
  }
}

/** Returns reserved stock. Nothing happens for a product that was removed in the meantime. */
export async function unreserve(
  tx: Transaction,
  siteKeyHash: string,
  wanted: readonly Wanted[],
): Promise<void> {
  for (const { id, quantity } of summed(wanted)) {
    await tx.run(
      `UPDATE products SET reserved = CASE WHEN reserved > ? THEN reserved - ? ELSE 0 END
       WHERE site_key_hash = ? AND product_id = ?`,
      quantity,
      quantity,
      siteKeyHash,
      id,
    );
  }
}

/**
 * Takes reserved stock out of the inventory, all of it or nothing. Returns false if the owner has
 * reduced the stock since.
 */
export async function sell(
  tx: Transaction,
  siteKeyHash: string,
  wanted: readonly Wanted[],
): Promise<boolean> {
  const ordered = summed(wanted);
  for (const { id, quantity } of ordered) {
    const [row] = await tx.lock<Pick<ProductRow, "quantity">>(
      "SELECT quantity FROM products WHERE site_key_hash = ? AND product_id = ?",
      siteKeyHash,
      id,
    );
    if (row === undefined || (row.quantity !== null && row.quantity < quantity)) return false;
  }
  for (const { id, quantity } of ordered) {
    await tx.run(
      "UPDATE products SET quantity = quantity - ? WHERE site_key_hash = ? AND product_id = ?",
      quantity,
      siteKeyHash,
      id,
    );
  }
  await unreserve(tx, siteKeyHash, wanted);
  return true;
}

/** Puts back what was sold and is not to be sent. What is not counted, or not there any more, gets nothing. */
export async function restock(
  tx: Transaction,
  siteKeyHash: string,
  returned: readonly Wanted[],
): Promise<void> {
  for (const { id, quantity } of summed(returned)) {
    await tx.run(
      "UPDATE products SET quantity = quantity + ? WHERE site_key_hash = ? AND product_id = ?",
      quantity,
      siteKeyHash,
      id,
    );
  }
}

export async function deleteProducts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM products WHERE site_key_hash = ?", siteKeyHash);
}
