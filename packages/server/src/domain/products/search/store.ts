import type { Database } from "../../../infra/db/database.js";
import { POSTGRES_PRODUCT_WORDS } from "../../../infra/db/product-search.js";
import type { Product } from "../product.js";
import { products } from "../store.js";

/** A search. Products must meet all of it. */
export interface ProductQuery {
  /** Folded words, all of which a product has. The last one may be the beginning of a word. */
  readonly words: readonly string[];
  readonly minMinor: number | null;
  readonly maxMinor: number | null;
  readonly offset: number;
  readonly limit: number;
}

type Readable = Pick<Database, "all" | "dialect">;

/** The conditions besides the words, with their values. */
function conditions({ minMinor, maxMinor }: ProductQuery) {
  const limits = [
    ...(minMinor === null ? [] : [{ sql: " AND price_minor >= ?", value: minMinor }]),
    ...(maxMinor === null ? [] : [{ sql: " AND price_minor <= ?", value: maxMinor }]),
  ];
  return { sql: limits.map(({ sql }) => sql).join(""), values: limits.map(({ value }) => value) };
}

/** Products with the words that are ranked, so that a word which all products have costs no more. */
const CANDIDATES_MAX = 500;
/** A shorter beginning of a word would match half of all words. */
const PREFIX_CHARS_MIN = 3;

const isPrefix = (words: readonly string[], i: number) =>
  i === words.length - 1 && (words[i] as string).length >= PREFIX_CHARS_MIN;

const quoted = (word: string, last: boolean) => `"${word}"${last ? "*" : ""}`;

function searchSqlite(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const { words, limit, offset } = query;
  const { sql, values } = conditions(query);
  const site = Buffer.from(siteKeyHash, "utf8").toString("hex");
  const wanted = words.map((word, i) => quoted(word, isPrefix(words, i))).join(" AND ");
  return db.all<object>(
    `SELECT products.* FROM (
       SELECT product_id, bm25(products_search, 0, 0, 10, 1, 0) AS rank FROM products_search
       WHERE products_search MATCH ? LIMIT ${CANDIDATES_MAX}) AS found
     JOIN products ON products.site_key_hash = ? AND products.product_id = found.product_id
     WHERE 1 = 1${sql} ORDER BY found.rank, products.product_id LIMIT ? OFFSET ?`,
    `site:"${site}" AND {title_words body_words}:(${wanted})`,
    siteKeyHash,
    ...values,
    limit,
    offset,
  );
}

function searchPostgres(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const { words, limit, offset } = query;
  const { sql, values } = conditions(query);
  const wanted = words.map((word, i) => `'${word}'${isPrefix(words, i) ? ":*" : ""}`);
  return db.all<object>(
    `SELECT * FROM (
       SELECT products.*, wanted FROM products, to_tsquery('simple', ?) AS wanted
       WHERE site_key_hash = ? AND ${POSTGRES_PRODUCT_WORDS} @@ wanted${sql}
       LIMIT ${CANDIDATES_MAX}) AS found
     ORDER BY ts_rank(${POSTGRES_PRODUCT_WORDS}, wanted) DESC, product_id LIMIT ? OFFSET ?`,
    wanted.join(" & "),
    siteKeyHash,
    ...values,
    limit,
    offset,
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
  return (await search(db, siteKeyHash, query)).map((row) => products.read(row));
}

/** All products, for a search without words. */
function browse(db: Readable, siteKeyHash: string, query: ProductQuery): Promise<Product[]> {
  const { sql, values } = conditions(query);
  return products.all(
    db,
    `WHERE site_key_hash = ?${sql} ORDER BY product_id LIMIT ? OFFSET ?`,
    siteKeyHash,
    ...values,
    query.limit,
    query.offset,
  );
}
