import type { Database } from "../../../infra/db/database.js";
import { POSTGRES_PRODUCT_WORDS, siteMark } from "../../../infra/db/product-search.js";
import type { Product } from "../product.js";
import { products, productsByIds } from "../store.js";

/** A search. Products must meet all of it. */
export interface ProductQuery {
  /** Folded words, all of which a product has. The last one may be the beginning of a word. */
  readonly words: readonly string[];
  readonly minMinor: number | null;
  readonly maxMinor: number | null;
  readonly offset: number;
  readonly limit: number;
}

type Readable = Pick<Database, "all" | "dialect" | "findEach">;

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
/** Products that SQLite ranks among each other: a page costs as much as the blocks up to its last one. */
const BLOCK_PRODUCTS = 50;
/** A shorter beginning of a word would match half of all words. */
const PREFIX_CHARS_MIN = 3;

const isPrefix = (words: readonly string[], i: number) =>
  i === words.length - 1 && (words[i] as string).length >= PREFIX_CHARS_MIN;

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

/** First the products with all words in their title, then those with some of them in the description. */
async function searchSqlite(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const mark = siteMark(siteKeyHash);
  const { words, limit, offset } = query;
  const wanted = words.map((word, i) => `"${mark}${word}"${isPrefix(words, i) ? "*" : ""}`);
  const all = `(${wanted.join(" AND ")})`;
  const inTitle = `title_words:${all}`;
  const ids = await matching(db, siteKeyHash, { sql: inTitle, column: "title_words" }, query);
  if (ids.length < offset + limit) {
    const inBody = `{title_words body_words}:${all} NOT ${inTitle}`;
    ids.push(...(await matching(db, siteKeyHash, { sql: inBody, column: "body_words" }, query)));
  }
  const page = ids.slice(offset, offset + limit);
  const byId = await productsByIds(db, siteKeyHash, page);
  return page.map((id) => byId.get(id)).filter((product) => product !== undefined);
}

async function searchPostgres(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const mark = siteMark(siteKeyHash);
  const { words, limit, offset } = query;
  const { sql, values } = conditions(query);
  const wanted = words.map((word, i) => `'${mark}${word}'${isPrefix(words, i) ? ":*" : ""}`);
  const rows = await db.all<object>(
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
  return rows.map((row) => products.read(row));
}

/** Products that have all the words, those with the words in their title first. */
export async function searchProducts(
  db: Readable,
  siteKeyHash: string,
  query: ProductQuery,
): Promise<Product[]> {
  if (query.words.length === 0) return browse(db, siteKeyHash, query);
  const search = db.dialect === "sqlite" ? searchSqlite : searchPostgres;
  return search(db, siteKeyHash, query);
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
