import type { Database } from "../../../infra/db/database.js";
import { POSTGRES_PRODUCT_WORDS } from "../../../infra/db/product-search.js";
import type { Product } from "../product.js";
import { products, productsByIds } from "../store.js";
import { type QueryWords, searchExpression } from "./expression.js";
import { closestFirst, type WordsOfProduct } from "./ranking.js";

/** A search. Products must meet all of it, but may lack some of the words. */
export interface ProductQuery {
  /** The last one may be the beginning of a word. */
  readonly words: QueryWords;
  readonly minMinor: number | null;
  readonly maxMinor: number | null;
  readonly offset: number;
  readonly limit: number;
}

type Readable = Pick<Database, "all" | "dialect" | "findEach">;

/** A page of the products with all words, and how many of them there are up to the end of the page. */
interface CompleteMatches {
  readonly page: readonly Product[];
  readonly count: number;
}

/** The conditions other than the words, with their values. */
function conditions({ minMinor, maxMinor }: ProductQuery) {
  const limits = [
    ...(minMinor === null ? [] : [{ sql: " AND price_minor >= ?", value: minMinor }]),
    ...(maxMinor === null ? [] : [{ sql: " AND price_minor <= ?", value: maxMinor }]),
  ];
  return { sql: limits.map(({ sql }) => sql).join(""), values: limits.map(({ value }) => value) };
}

/** Products with the words that a search looks at, so that a word which all products have costs no more. */
const CANDIDATES_MAX = 500;
/** The same for products with only some of the words. */
const PARTIAL_CANDIDATES_MAX = 100;
/** Of a description, as far as it counts for the order of those. */
const RANKED_CHARS_MAX = 2000;
/** Products that SQLite ranks among each other: a page costs as much as the blocks up to its last one. */
const BLOCK_PRODUCTS = 50;

interface Match {
  /** An expression of FTS5. */
  readonly sql: string;
  /** The column that the words are in. */
  readonly column: "title_words" | "body_words";
}

/** The products that match: block by block in the order of their import, short texts first. */
async function matching(db: Readable, siteKeyHash: string, match: Match, query: ProductQuery) {
  const { sql, values } = conditions(query);
  const isPriced = values.length > 0;
  const needed = Math.ceil((query.offset + query.limit) / BLOCK_PRODUCTS) * BLOCK_PRODUCTS;
  const wordMatches = `SELECT product_id, length(${match.column}) AS size FROM products_search
    WHERE products_search MATCH ? AND site_key_hash = ? LIMIT ?`;
  // CROSS, because SQLite would rather read all products of the site and look for each in `found`.
  const priced = `SELECT found.product_id, size FROM (${wordMatches}) AS found CROSS JOIN products
    ON products.site_key_hash = ? AND products.product_id = found.product_id WHERE 1 = 1${sql}`;
  const rows = await db.all<{ readonly product_id: string; readonly size: number }>(
    isPriced ? priced : wordMatches,
    match.sql,
    siteKeyHash,
    isPriced ? CANDIDATES_MAX : Math.min(needed, CANDIDATES_MAX),
    ...(isPriced ? [siteKeyHash, ...values] : []),
  );
  const place = (row: number) => Math.floor(row / BLOCK_PRODUCTS);
  return rows
    .map(({ product_id: id, size }, row) => ({ id, size, block: place(row) }))
    .sort((a, b) => a.block - b.block || a.size - b.size || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

async function inOrderOf(db: Readable, siteKeyHash: string, ids: readonly string[]) {
  const byId = await productsByIds(db, siteKeyHash, ids);
  return ids.map((id) => byId.get(id)).filter((product) => product !== undefined);
}

/** First the products with all words in their title, then those with some of them in the description. */
async function searchSqlite(
  db: Readable,
  siteKeyHash: string,
  query: ProductQuery,
  all: string,
): Promise<CompleteMatches> {
  const { limit, offset } = query;
  const inTitle = `title_words:${all}`;
  const ids = await matching(db, siteKeyHash, { sql: inTitle, column: "title_words" }, query);
  if (ids.length < offset + limit) {
    const inBody = `{title_words body_words}:${all} NOT ${inTitle}`;
    ids.push(...(await matching(db, siteKeyHash, { sql: inBody, column: "body_words" }, query)));
  }
  const page = await inOrderOf(db, siteKeyHash, ids.slice(offset, offset + limit));
  return { page, count: ids.length };
}

async function searchPostgres(
  db: Readable,
  siteKeyHash: string,
  query: ProductQuery,
  all: string,
): Promise<CompleteMatches> {
  const { limit, offset } = query;
  const { sql, values } = conditions(query);
  const candidates = (columns: string) => `(SELECT ${columns} FROM products,
    to_tsquery('simple', ?) AS wanted
    WHERE site_key_hash = ? AND ${POSTGRES_PRODUCT_WORDS} @@ wanted${sql}
    LIMIT ${CANDIDATES_MAX}) AS candidates`;
  const rows = await db.all<object>(
    `SELECT * FROM ${candidates("products.*, wanted")}
     ORDER BY ts_rank(${POSTGRES_PRODUCT_WORDS}, wanted) DESC, product_id LIMIT ? OFFSET ?`,
    all,
    siteKeyHash,
    ...values,
    limit,
    offset,
  );
  const page = rows.map((row) => products.read(row));
  if (page.length > 0 || offset === 0) return { page, count: offset + page.length };
  const counted = `SELECT COUNT(*) AS count FROM ${candidates("1")}`;
  const [total] = await db.all<{ count: number }>(counted, all, siteKeyHash, ...values);
  return { page, count: Number(total?.count ?? 0) };
}

/** The products with some of the words, those with most of them first. */
async function withSomeWords(
  db: Readable,
  siteKeyHash: string,
  query: ProductQuery,
  some: string,
): Promise<string[]> {
  const { sql, values } = conditions(query);
  const columns = `products.product_id AS id, products.title_words AS title,
    substr(products.body_words, 1, ${RANKED_CHARS_MAX}) AS body`;
  const statements = {
    sqlite: `SELECT ${columns} FROM (SELECT product_id FROM products_search
      WHERE products_search MATCH ? AND site_key_hash = ? LIMIT ${PARTIAL_CANDIDATES_MAX}) AS found
      CROSS JOIN products ON products.site_key_hash = ?
        AND products.product_id = found.product_id WHERE 1 = 1${sql}`,
    postgres: `SELECT ${columns} FROM products WHERE ${POSTGRES_PRODUCT_WORDS}
      @@ to_tsquery('simple', ?) AND site_key_hash = ?${sql} LIMIT ${PARTIAL_CANDIDATES_MAX}`,
  };
  const site = db.dialect === "sqlite" ? [siteKeyHash, siteKeyHash] : [siteKeyHash];
  const match = db.dialect === "sqlite" ? `{title_words body_words}:${some}` : some;
  const sought = statements[db.dialect];
  const rows = await db.all<WordsOfProduct>(sought, match, ...site, ...values);
  return closestFirst(rows, query.words);
}

/** Products that have all the words, those with the words in their title first. Then products with some of them. */
export async function searchProducts(
  db: Readable,
  siteKeyHash: string,
  query: ProductQuery,
): Promise<readonly Product[]> {
  if (query.words.length === 0) return browse(db, siteKeyHash, query);
  const { all, some } = searchExpression(db.dialect, siteKeyHash, query.words);
  const search = db.dialect === "sqlite" ? searchSqlite : searchPostgres;
  const { page, count } = await search(db, siteKeyHash, query, all);
  const end = query.offset + query.limit - count;
  if (some === null || end <= 0) return page;
  const others = await withSomeWords(db, siteKeyHash, query, some);
  const rest = others.slice(Math.max(0, query.offset - count), end);
  return [...page, ...(await inOrderOf(db, siteKeyHash, rest))];
}

/** All products, for a search without words. */
function browse(db: Readable, siteKeyHash: string, query: ProductQuery): Promise<Product[]> {
  const { sql, values } = conditions(query);
  return products.all(
    db,
    `WHERE site_key_hash = ? AND paused = 0${sql} ORDER BY product_id LIMIT ? OFFSET ?`,
    siteKeyHash,
    ...values,
    query.limit,
    query.offset,
  );
}
