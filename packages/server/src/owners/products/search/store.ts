import type { Database } from "../../../platform/db/database.js";
import { POSTGRES_PRODUCT_WORDS } from "../../../platform/db/product-search.js";
import type { Product } from "../product.js";
import { type ProductRow, productOf } from "../store.js";

/** What is looked for; all of it must hold. */
export interface ProductQuery {
  /** Folded words, all of which a product has; of the last, the beginning will do. */
  readonly words: readonly string[];
  readonly minMinor: number | null;
  readonly maxMinor: number | null;
  readonly offset: number;
  readonly limit: number;
}

type Readable = Pick<Database, "all" | "dialect">;

/** The conditions besides the words, and what they are asked with. */
function conditions({ minMinor, maxMinor }: ProductQuery) {
  const limits = [
    ...(minMinor === null ? [] : [{ sql: " AND price_minor >= ?", value: minMinor }]),
    ...(maxMinor === null ? [] : [{ sql: " AND price_minor <= ?", value: maxMinor }]),
  ];
  return { sql: limits.map(({ sql }) => sql).join(""), values: limits.map(({ value }) => value) };
}

const quoted = (word: string, last: boolean) => `"${word}"${last ? "*" : ""}`;

function searchSqlite(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const { words, limit, offset } = query;
  const { sql, values } = conditions(query);
  const site = Buffer.from(siteKeyHash, "utf8").toString("hex");
  const wanted = words.map((word, i) => quoted(word, i === words.length - 1)).join(" AND ");
  return db.all<ProductRow>(
    `SELECT products.* FROM products_search JOIN products
       ON products.site_key_hash = ? AND products.product_id = products_search.product_id
     WHERE products_search MATCH ?${sql}
     ORDER BY bm25(products_search, 0, 0, 10, 1, 0), products.product_id LIMIT ? OFFSET ?`,
    ...[siteKeyHash, `site:"${site}" AND {title_words body_words}:(${wanted})`],
    ...[...values, limit, offset],
  );
}

function searchPostgres(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const { words, limit, offset } = query;
  const { sql, values } = conditions(query);
  const wanted = words.map((word, i) => `'${word}'${i === words.length - 1 ? ":*" : ""}`);
  return db.all<ProductRow>(
    `SELECT products.* FROM products, to_tsquery('simple', ?) AS wanted
     WHERE site_key_hash = ? AND ${POSTGRES_PRODUCT_WORDS} @@ wanted${sql}
     ORDER BY ts_rank(${POSTGRES_PRODUCT_WORDS}, wanted) DESC, product_id LIMIT ? OFFSET ?`,
    ...[wanted.join(" & "), siteKeyHash, ...values, limit, offset],
  );
}

/** Products that have all the words, those with the words in their title first. */
export async function searchProducts(
  db: Readable,
  siteKeyHash: string,
  query: ProductQuery,
): Promise<Product[]> {
  if (query.words.length === 0) return browse(db, siteKeyHash, query);
  const search = db.dialect === "sqlite" ? searchSqlite : searchPostgres;
  return (await search(db, siteKeyHash, query)).map(productOf);
}

/** All there is, where no words are given. */
async function browse(db: Readable, siteKeyHash: string, query: ProductQuery): Promise<Product[]> {
  const { sql, values } = conditions(query);
  const rows = await db.all<ProductRow>(
    `SELECT * FROM products WHERE site_key_hash = ?${sql} ORDER BY product_id LIMIT ? OFFSET ?`,
    ...[siteKeyHash, ...values, query.limit, query.offset],
  );
  return rows.map(productOf);
}
