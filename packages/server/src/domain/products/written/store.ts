import type { Transaction } from "../../../infra/db/database.js";
import { productWords } from "../../../infra/search-words.js";
import type { ListedProduct, ProductField } from "../product.js";
import { priceAt } from "../sale.js";
import { inOrder, LISTED_COLUMNS, listText } from "../store.js";

const COLUMNS = [
  ...LISTED_COLUMNS,
  "import_id",
  "changed_at",
  "title_words",
  "body_words",
] as const;

/** No search finds a paused product, because its words stay empty. */
function newValue(name: string): string {
  const isSearched = name === "title_words" || name === "body_words";
  return isSearched
    ? `CASE WHEN products.paused = 1 THEN '' ELSE excluded.${name} END`
    : `excluded.${name}`;
}

/** The columns of fields that are stored in several. */
const COLUMNS_OF: Readonly<Partial<Record<ProductField, readonly string[]>>> = {
  title: ["title", "title_words"],
  price: ["price_minor", "currency", "regular_minor", "sale_changes_at"],
  sale_price: ["sale_minor", "sale_from", "sale_until"],
};

/** The fields whose words are stored together. */
const IN_BODY_WORDS = ["description", "sku"] as const satisfies readonly ProductField[];

/** A product with the stored one of these fields, where a line leaves out one and changes the other. */
async function withStored(tx: Transaction, siteKeyHash: string, product: ListedProduct) {
  const staying = IN_BODY_WORDS.filter((field) => product.absent.includes(field));
  if (staying.length !== 1) return product;
  const rows = await tx.all<Pick<ListedProduct, (typeof IN_BODY_WORDS)[number]>>(
    `SELECT ${staying.join()} FROM products WHERE site_key_hash = ? AND product_id = ?`,
    siteKeyHash,
    product.productId,
  );
  return { ...product, ...rows[0] };
}

/** Inserts a product, or updates it except for the fields that stay. */
function upsert(fields: readonly ProductField[]): string {
  const staying = fields.flatMap((field) => COLUMNS_OF[field] ?? [field]);
  if (IN_BODY_WORDS.every((field) => fields.includes(field))) staying.push("body_words");
  const changed = COLUMNS.filter((name) => !staying.includes(name));
  const marks = COLUMNS.map(() => "?").join(", ");
  return `INSERT INTO products (site_key_hash, product_id, ${COLUMNS.join(", ")})
     VALUES (?, ?, ${marks}) ON CONFLICT (site_key_hash, product_id) DO UPDATE SET
       ${changed.map((name) => `${name} = ${newValue(name)}`).join(", ")}`;
}

/**
 * Writes the products of a list. Stock that is being paid for stays reserved. With `updates`, fields that
 * a line leaves out keep their values, so that a list of prices does not erase the quantities.
 */
export async function writeProducts(
  tx: Transaction,
  siteKeyHash: string,
  listed: readonly ListedProduct[],
  {
    importId,
    now,
    updates,
  }: { readonly importId: string; readonly now: number; readonly updates: boolean },
): Promise<void> {
  for (const product of inOrder(listed, ({ productId }) => productId)) {
    const { regularPrice, sale, absent } = product;
    const price = priceAt(regularPrice, sale, now);
    const words = productWords(updates ? await withStored(tx, siteKeyHash, product) : product);
    const sql = upsert(updates ? absent : []);
    await tx.run(
      sql,
      siteKeyHash,
      product.productId,
      product.title,
      product.description,
      price.minor,
      regularPrice.currency,
      product.imageUrl,
      product.url,
      product.availability,
      product.quantity,
      sale === null ? null : regularPrice.minor,
      sale?.minor ?? null,
      sale?.from ?? null,
      sale?.until ?? null,
      price.changesAt,
      product.brand,
      product.gtin,
      product.mpn,
      product.sku,
      product.identifierExists === null ? null : Number(product.identifierExists),
      product.category,
      listText(product.additionalImageUrls),
      product.itemGroupId,
      listText(product.options),
      importId,
      now,
      words.title_words,
      words.body_words,
    );
  }
}
