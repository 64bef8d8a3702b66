import type { Database } from "../../../infra/db/database.js";
import { POSTGRES_PRODUCT_WORDS, siteMark } from "../../../infra/db/product-search.js";
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

/** Reads the products of `found`. CROSS, because SQLite would rather look for each product in `found`. */
const THEIR_PRODUCTS =
  "CROSS JOIN products ON products.site_key_hash = ? AND products.product_id = found.product_id";

/** A page of the products that match: block by block in the order of their import, short texts first. */
function matching(db: Readable, siteKeyHash: string, match: Match, query: ProductQuery) {
  const { limit, offset } = query;
  const { sql, values } = conditions(query);
  const isPriced = values.length > 0;
  const needed = Math.ceil((offset + limit) / BLOCK_PRODUCTS) * BLOCK_PRODUCTS;
  return db.all<object>(
    `SELECT products.* FROM (
       SELECT found.product_id, size, block FROM (
         SELECT product_id, length(words) AS size, (row_number() OVER () - 1) / ${BLOCK_PRODUCTS} AS block
         FROM (SELECT product_id, ${match.column} AS words FROM products_search
               WHERE products_search MATCH ? LIMIT ?)) AS found
       ${isPriced ? `${THEIR_PRODUCTS} WHERE 1 = 1${sql}` : ""}
       ORDER BY block, size, found.product_id LIMIT ? OFFSET ?) AS found
     ${THEIR_PRODUCTS} ORDER BY block, size, found.product_id`,
    match.sql,
    isPriced ? CANDIDATES_MAX : Math.min(needed, CANDIDATES_MAX),
    ...(isPriced ? [siteKeyHash, ...values] : []),
    limit,
    offset,
    siteKeyHash,
  );
}

/** First the products with all words in their title, then those with some of them in the description. */
async function searchSqlite(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const mark = siteMark(siteKeyHash);
  const { words, limit, offset } = query;
  const wanted = words.map((word, i) => `"${mark}${word}"${isPrefix(words, i) ? "*" : ""}`);
  const all = `(${wanted.join(" AND ")})`;
  const inTitle: Match = { sql: `title_words:${all}`, column: "title_words" };
  const inBody: Match = {
    sql: `{title_words body_words}:${all} NOT ${inTitle.sql}`,
    column: "body_words",
  };

  const first = await matching(db, siteKeyHash, inTitle, query);
  if (first.length === limit) return first;
  const titled =
    first.length > 0 || offset === 0
      ? offset + first.length
      : (await matching(db, siteKeyHash, inTitle, { ...query, offset: 0, limit: offset })).length;
  const rest = { ...query, offset: Math.max(0, offset - titled), limit: limit - first.length };
  return [...first, ...(await matching(db, siteKeyHash, inBody, rest))];
}

function searchPostgres(db: Readable, siteKeyHash: string, query: ProductQuery) {
  const mark = siteMark(siteKeyHash);
  const { words, limit, offset } = query;
  const { sql, values } = conditions(query);
  const wanted = words.map((word, i) => `'${mark}${word}'${isPrefix(words, i) ? ":*" : ""}`);
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
