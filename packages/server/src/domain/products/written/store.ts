import type { Transaction } from "../../../infra/db/database.js";
import { storedWords } from "../../../infra/search-words.js";
import type { ListedProduct } from "../product.js";
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

/** Inserts a product, or updates it except for the columns that stay. */
function upsert(staying: readonly string[]): string {
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
    const unsearched = absent.includes("description") ? ["body_words"] : [];
    const sql = upsert(updates ? [...absent, ...unsearched] : []);
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
      product.identifierExists === null ? null : Number(product.identifierExists),
      product.category,
      listText(product.additionalImageUrls),
      product.itemGroupId,
      listText(product.options),
      importId,
      now,
      storedWords(product.title),
      storedWords(product.description),
    );
  }
}
