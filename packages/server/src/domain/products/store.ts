import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { countRows, deleterOf, rowExists } from "../../infra/db/statements.js";
import { type Field, flag, Table } from "../../infra/db/table.js";
import { productWords } from "../../infra/search-words.js";
import { DETAIL_FIELDS } from "./details.js";
import type { Product } from "./product.js";
import type { Sale } from "./sale.js";

function listIn<T>(column: string): Field<readonly T[]> {
  const none: readonly T[] = Object.freeze([]);
  return {
    read: ({ [column]: text }) =>
      typeof text === "string" ? Object.freeze(JSON.parse(text)) : none,
    write: (list) => ({ [column]: listText(list) }),
  };
}

/** A list as JSON; null for an empty one, as most products have it. */
export const listText = (list: readonly unknown[]) =>
  list.length === 0 ? null : JSON.stringify(list);

/** The columns that a list of products sets. */
export const LISTED_COLUMNS = [
  "title",
  "description",
  "price_minor",
  "currency",
  "image_url",
  "url",
  "availability",
  "quantity",
  "regular_minor",
  "sale_minor",
  "sale_from",
  "sale_until",
  "sale_changes_at",
  ...DETAIL_FIELDS,
] as const;

/** Rows are wide, and pages read many: only the columns of a product, by name (see PreparedStatement). */
const COLUMNS = [
  "product_id",
  ...LISTED_COLUMNS.filter((column) => column !== "sale_changes_at"),
  "reserved",
  "paused",
  "test_agent_id",
  "changed_at",
].join(", ");

/** `price_minor` is what a product costs now. `regular_minor` is null if that is its regular price. */
export const products = new Table<Product>(
  "products",
  {
    productId: "product_id",
    title: "title",
    description: "description",
    price: {
      read: ({ price_minor, currency }) =>
        Object.freeze({ minor: price_minor as number, currency: currency as string }),
      write: ({ minor, currency }) => ({ price_minor: minor, currency }),
    },
    regularPrice: {
      read: ({ regular_minor, price_minor, currency }) =>
        Object.freeze({
          minor: (regular_minor ?? price_minor) as number,
          currency: currency as string,
        }),
      write: ({ minor }) => ({ regular_minor: minor }),
    },
    sale: {
      read: ({ sale_minor: minor, sale_from: from, sale_until: until }) =>
        typeof minor === "number" ? (Object.freeze({ minor, from, until }) as Sale) : null,
      write: (sale) => ({
        sale_minor: sale?.minor ?? null,
        sale_from: sale?.from ?? null,
        sale_until: sale?.until ?? null,
      }),
    },
    imageUrl: "image_url",
    url: "url",
    availability: "availability",
    quantity: "quantity",
    brand: "brand",
    gtin: "gtin",
    mpn: "mpn",
    sku: "sku",
    identifierExists: {
      read: ({ identifier_exists: exists }) => (typeof exists === "number" ? exists === 1 : null),
      write: (exists) => ({ identifier_exists: exists === null ? null : Number(exists) }),
    },
    category: "category",
    additionalImageUrls: listIn("additional_image_urls"),
    itemGroupId: "item_group_id",
    options: listIn("options"),
    reserved: "reserved",
    paused: flag("paused"),
    testAgentId: "test_agent_id",
    changedAt: "changed_at",
  },
  COLUMNS,
);

/** A product of the owner, not the item of a test. */
export const OWN = "test_agent_id IS NULL";

/** Deletes the products that an import did not name. Returns how many. */
export async function removeOthers(
  tx: Transaction,
  siteKeyHash: string,
  importId: string,
): Promise<number> {
  const sql = `DELETE FROM products WHERE site_key_hash = ? AND import_id <> ? AND ${OWN}`;
  return tx.run(sql, siteKeyHash, importId);
}

/** Returns false if there was no such product. */
export async function deleteProduct(
  tx: Transaction,
  siteKeyHash: string,
  productId: string,
): Promise<boolean> {
  const sql = `DELETE FROM products WHERE site_key_hash = ? AND product_id = ? AND ${OWN}`;
  return (await tx.run(sql, siteKeyHash, productId)) === 1;
}

/** Takes a product off sale, or puts it back. From then on that is nothing a feed undoes. */
export async function setPaused(
  tx: Transaction,
  siteKeyHash: string,
  product: Pick<Product, "productId" | "title" | "description" | "sku">,
  paused: boolean,
): Promise<void> {
  const words = productWords(product);
  await tx.run(
    `UPDATE products SET paused = ?, feed_paused = 0, title_words = ?, body_words = ?
     WHERE site_key_hash = ? AND product_id = ?`,
    paused ? 1 : 0,
    paused ? "" : words.title_words,
    paused ? "" : words.body_words,
    siteKeyHash,
    product.productId,
  );
}

/** Whether there is a product that somebody could buy. */
export function hasProducts(db: Queries, siteKeyHash: string): Promise<boolean> {
  return rowExists(db, "products WHERE site_key_hash = ? AND paused = 0", siteKeyHash);
}

export function countProducts(db: Queries, siteKeyHash: string): Promise<number> {
  return countRows(db, `products WHERE site_key_hash = ? AND ${OWN}`, siteKeyHash);
}

const keyOf = (siteKeyHash: string, productId: string) => ({
  site_key_hash: siteKeyHash,
  product_id: productId,
});

/** Products read by their ids at once. */
export const PRODUCTS_BY_ID_MAX = 50;

/** A product of the owner's list, paused or not. */
export function productById(
  db: Pick<Queries, "get">,
  siteKeyHash: string,
  productId: string,
): Promise<Product | undefined> {
  const rest = `WHERE site_key_hash = ? AND product_id = ? AND ${OWN}`;
  return products.get(db, rest, siteKeyHash, productId);
}

/** The products with these ids that can be sold: no paused ones, and a test item only to its agent. */
export async function productsByIds(
  db: Pick<Queries, "findEach">,
  siteKeyHash: string,
  ids: readonly string[],
  agentId: string | null = null,
): Promise<ReadonlyMap<string, Product>> {
  const unique = [...new Set(ids)];
  const key = { site_key_hash: siteKeyHash };
  const rows = await products.findEach(db, key, "product_id", unique);
  const offered = rows.filter(({ paused, testAgentId: only }) =>
    only === null ? !paused : only === agentId,
  );
  return new Map(offered.map((product) => [product.productId, product]));
}

/** All writers lock product rows in this order, so that imports and orders cannot deadlock. */
export function inOrder<T>(list: readonly T[], idOf: (item: T) => string): T[] {
  return [...list].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** A quantity of a product. */
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

/** What orders read of a product. */
export function readOfProduct(siteKeyHash: string, productId: string): ExpectedRead {
  return { kind: "hold", table: "products", key: keyOf(siteKeyHash, productId) };
}

/** Reads a product and locks it until the transaction ends, because imports do not wait for orders otherwise. */
async function holdProduct(
  tx: Transaction,
  siteKeyHash: string,
  productId: string,
): Promise<Product | undefined> {
  const row = await tx.hold("products", keyOf(siteKeyHash, productId));
  return row && products.read(row);
}

/** Reserves stock during a payment. Throws if there is not enough, because that was checked before. */
export async function reserve(
  tx: Transaction,
  siteKeyHash: string,
  wanted: readonly Wanted[],
): Promise<void> {
  for (const { id, quantity } of summed(wanted)) {
    const product = await holdProduct(tx, siteKeyHash, id);
    const left = product && (product.quantity ?? Number.POSITIVE_INFINITY) - product.reserved;
    if (product === undefined || (left as number) < quantity)
      throw new Error("a product ran out inside the transaction that asked for it");
    const reserved = product.reserved + quantity;
    await tx.set("products", keyOf(siteKeyHash, id), { reserved });
  }
}

/** Returns reserved stock. Nothing happens for a product that was removed in the meantime. */
export async function unreserve(
  tx: Transaction,
  siteKeyHash: string,
  wanted: readonly Wanted[],
): Promise<void> {
  for (const { id, quantity } of summed(wanted)) {
    const product = await holdProduct(tx, siteKeyHash, id);
    if (product === undefined) continue;
    const reserved = Math.max(0, product.reserved - quantity);
    await tx.set("products", keyOf(siteKeyHash, id), { reserved });
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
  const sold: { readonly id: string; readonly left: Pick<Product, "quantity" | "reserved"> }[] = [];
  for (const { id, quantity: taken } of summed(wanted)) {
    const product = await holdProduct(tx, siteKeyHash, id);
    if (product === undefined || (product.quantity ?? taken) < taken) return false;
    const quantity = product.quantity === null ? null : product.quantity - taken;
    sold.push({ id, left: { quantity, reserved: Math.max(0, product.reserved - taken) } });
  }
  for (const { id, left } of sold) await tx.set("products", keyOf(siteKeyHash, id), left);
  return true;
}

/** Returns sold stock that will not be sent. Nothing happens for a product that is not counted or was removed. */
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

export const deleteProducts = deleterOf(
  "products",
  "product_imports",
  "replaced_products",
  "product_pictures",
);
