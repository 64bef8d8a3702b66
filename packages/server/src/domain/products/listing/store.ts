import type { Database, Dialect } from "../../../infra/db/database.js";
import { POSTGRES_PRODUCT_WORDS, POSTGRES_TITLE_WORDS } from "../../../infra/db/product-search.js";
import { containing } from "../../../infra/db/statements.js";
import { searchWords } from "../../../infra/search-words.js";
import { type Product, type ProductSort, type ProductSortField, QUANTITY_MAX } from "../product.js";
import { searchExpression } from "../search/expression.js";
import { OWN, products } from "../store.js";

/** The column of each field that lists are sorted by. Stock that is not counted is the largest. */
const SORTED_BY: Readonly<Record<ProductSortField, string>> = {
  id: "product_id",
  title: "title",
  price: "price_minor",
  quantity: `COALESCE(quantity, ${QUANTITY_MAX + 1})`,
  changed_at: "changed_at",
};

/** Where a page of products begins: behind the product with this value and this id. */
export interface ProductPlace {
  readonly value: string | number;
  readonly id: string;
}

interface ProductPage {
  readonly after: ProductPlace | null;
  readonly limit: number;
}

/** Products that a list finds by the words of their titles, besides those that contain the text as it is. */
const WORD_MATCHES_MAX = 500;
const WORDS_MAX = 16;

const WITH_WORDS: Readonly<Record<Dialect, string>> = {
  sqlite: "products_search WHERE products_search MATCH 'title_words:' || ? AND site_key_hash = ?",
  // The title alone has no index.
  postgres: `products, to_tsquery('simple', ?) AS wanted WHERE ${POSTGRES_PRODUCT_WORDS} @@ wanted
    AND ${POSTGRES_TITLE_WORDS} @@ wanted AND site_key_hash = ?`,
};

/** Undefined for all products. Paused ones are found by the text as it is, because their words are not stored. */
function matching(dialect: Dialect, siteKeyHash: string, search: string | undefined) {
  const text = containing(dialect, ["title", "product_id", "sku"], search);
  const words = searchWords(search ?? "").slice(0, WORDS_MAX);
  if (text === undefined || words.length === 0) return text;
  const { all } = searchExpression(dialect, siteKeyHash, words);
  const matches = `SELECT product_id FROM ${WITH_WORDS[dialect]} LIMIT ${WORD_MATCHES_MAX}`;
  const sql = `(${text.sql} OR product_id IN (${matches}))`;
  return { sql, values: [...text.values, all, siteKeyHash] };
}

/** Products of a site, sorted by a field and then by id; with `search`, those with this text or these words. */
export function listProducts(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  { search, sort }: { readonly search: string | undefined; readonly sort: ProductSort },
  { after, limit }: ProductPage,
): Promise<Product[]> {
  const by = SORTED_BY[sort.replace("-", "") as ProductSortField];
  const [order, than] = sort.startsWith("-") ? [" DESC", "<"] : ["", ">"];
  const match = matching(db.dialect, siteKeyHash, search);
  const next = after && {
    sql: `(${by}, product_id) ${than} (?, ?)`,
    values: [after.value, after.id],
  };
  const conditions = [match, next].filter((one) => one != null);
  return products.all(
    db,
    `WHERE ${["site_key_hash = ?", OWN, ...conditions.map(({ sql }) => sql)].join(" AND ")}
     ORDER BY ${by}${order}, product_id${order} LIMIT ?`,
    siteKeyHash,
    ...conditions.flatMap(({ values }) => values),
    limit,
  );
}
