import {
  fromBase64url,
  type OfferedProduct,
  ok,
  type Result,
  refuse,
  toBase64url,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  PRODUCT_ID_CHARS_MAX,
  type Product,
  UNSEEN,
  wordsOf,
} from "../../domain/products/product.js";
import { searchProducts } from "../../domain/products/search/store.js";
import {
  firstOffered,
  PRODUCTS_BY_ID_MAX,
  productsByIds,
  listProducts as selectProducts,
} from "../../domain/products/store.js";
import type { LiveSite } from "../../domain/sites/live-sites.js";
import type { Page, PageRequest } from "../page.js";

/** Products on the pages for agents. Tools find the others. */
const OFFERED_MAX = 12;

/** Words of a query that are searched for; further words are ignored. */
const WORDS_MAX = 16;
const WORD_CHARS_MAX = 64;
export const PAGE_MAX = 50;
export const LOOKUP_IDS_MAX = PRODUCTS_BY_ID_MAX;
/** People do not read further, and a search must not be a way to copy all products. */
const OFFSET_MAX = 10_000;
const CURSOR = /^from (\d{1,5})$/;

export interface ProductSearch {
  readonly text: string;
  readonly minMinor: number | null;
  readonly maxMinor: number | null;
  readonly cursor: string | null;
  readonly limit: number;
}

export interface FoundProducts {
  readonly products: readonly Product[];
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
}

const cursorAt = (offset: number) => toBase64url(Buffer.from(`from ${offset}`));

function offsetOf(cursor: string | null): number | undefined {
  if (cursor === null) return 0;
  const bytes = fromBase64url(cursor);
  const [, number] = CURSOR.exec(bytes === undefined ? "" : Buffer.from(bytes).toString()) ?? [];
  return number !== undefined && Number(number) <= OFFSET_MAX ? Number(number) : undefined;
}

/** A page of the products that contain the words of a query. */
export async function findProducts(
  { db }: Context,
  siteKeyHash: string,
  { text, minMinor, maxMinor, cursor, limit }: ProductSearch,
): Promise<Result<FoundProducts, "invalid">> {
  const offset = offsetOf(cursor);
  if (offset === undefined)
    return refuse("invalid", "`pagination.cursor` does not belong to this list.");
  const words = wordsOf(text)
    .slice(0, WORDS_MAX)
    .map((word) => word.slice(0, WORD_CHARS_MAX));
  // A query without a word finds nothing, rather than everything.
  if (words.length === 0 && text.trim() !== "") return ok({ products: [], next: null });
  const size = Math.min(limit, PAGE_MAX);
  const query = { words, minMinor, maxMinor, offset, limit: size + 1 };
  const rows = await searchProducts(db, siteKeyHash, query);
  const more = rows.length > size && offset + size <= OFFSET_MAX;
  return ok({ products: rows.slice(0, size), next: more ? cursorAt(offset + size) : null });
}

const isProductId = (id: string) =>
  id !== "" && id.length <= PRODUCT_ID_CHARS_MAX && !UNSEEN.test(id);

/** The products with these ids, each once, in the order of the ids. Unknown ids are left out. */
export async function lookUpProducts(
  { db }: Context,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<readonly Product[]> {
  const wanted = [...new Set(ids)].filter(isProductId);
  const found = await productsByIds(db, siteKeyHash, wanted);
  return wanted.map((id) => found.get(id)).filter((product) => product !== undefined);
}

/** A page of a site's products in the order of their ids. A cursor is the id of the last one shown. */
export async function listProducts(
  { db }: Context,
  siteKeyHash: string,
  search: string | undefined,
  { limit, cursor = "" }: PageRequest,
): Promise<Page<Product>> {
  // PostgreSQL refuses a text with a NUL.
  const after = Buffer.from(cursor, "base64url").toString().replaceAll("\0", "");
  const rows = await selectProducts(db, siteKeyHash, search, { after, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last && Buffer.from(last.productId).toString("base64url") };
}

/** Some of what a site sells, for its pages for agents; empty if it sells nothing now. */
export async function offeredProducts(
  { db }: Context,
  { site, snapshot }: LiveSite,
): Promise<readonly OfferedProduct[]> {
  if (!snapshot.sells) return [];
  const products = await firstOffered(db, site.siteKeyHash, OFFERED_MAX);
  return products
    .filter(({ availability }) => availability !== "out_of_stock")
    .map(({ productId: id, title, price, url, imageUrl }) => ({ id, title, price, url, imageUrl }));
}
