import {
  fromBase64url,
  type OfferedProduct,
  ok,
  parseJson,
  type Result,
  refuse,
  toBase64url,
  utf8,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  type ProductPlace,
  listProducts as selectProducts,
} from "../../domain/products/listing/store.js";
import { firstOffered } from "../../domain/products/lookups/store.js";
import {
  PRODUCT_ID_CHARS_MAX,
  type Product,
  type ProductSort,
  type ProductSortField,
  QUANTITY_MAX,
} from "../../domain/products/product.js";
import { UNSEEN } from "../../domain/products/read-fields.js";
import { searchProducts } from "../../domain/products/search/store.js";
import { PRODUCTS_BY_ID_MAX, productById, productsByIds } from "../../domain/products/store.js";
import type { LiveSite } from "../../domain/sites/live-sites.js";
import { searchWords } from "../../infra/search-words.js";
import type { Page, PageRequest } from "../page.js";

/** Products on the pages for agents, and in their data for search engines. Tools find the others. */
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

/** A page of the products that contain the words of a query: first those with all of them, then those with some. */
export async function findProducts(
  { db }: Context,
  siteKeyHash: string,
  { text, minMinor, maxMinor, cursor, limit }: ProductSearch,
): Promise<Result<FoundProducts, "invalid">> {
  const offset = offsetOf(cursor);
  if (offset === undefined)
    return refuse("invalid", "`pagination.cursor` does not belong to this list.");
  const words = searchWords(text)
    .slice(0, WORDS_MAX)
    .map((forms) => forms.map((form) => form.slice(0, WORD_CHARS_MAX)));
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
  const byId = await productsByIds(db, siteKeyHash, wanted);
  return wanted.map((id) => byId.get(id)).filter((product) => product !== undefined);
}

/** What a list of products is narrowed and sorted by. */
export interface ProductFilter {
  /** Only the product with this id. */
  readonly id?: string | undefined;
  readonly search?: string | undefined;
  readonly sort: ProductSort;
}

/** The value by which a product has its place in a sorted list. */
function sortKeyOf({ productId, title, price, quantity, changedAt }: Product, sort: ProductSort) {
  const values: Readonly<Record<ProductSortField, string | number>> = {
    id: productId,
    title,
    price: price.minor,
    quantity: quantity ?? QUANTITY_MAX + 1,
    changed_at: changedAt,
  };
  return { value: values[sort.replace("-", "") as ProductSortField], id: productId };
}

/** The place that a cursor stands for; null for the start of the list. */
function readPlace(cursor: string | undefined, sort: ProductSort): ProductPlace | null {
  // PostgreSQL refuses a text with a NUL.
  const text = Buffer.from(cursor ?? "", "base64url")
    .toString()
    .replaceAll("\0", "");
  const parsed = parseJson(utf8(text));
  const [value, id] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  if (typeof id !== "string") return null;
  const isText = sort === "id" || sort.endsWith("title");
  const isPlace = isText ? typeof value === "string" : Number.isSafeInteger(value);
  return isPlace ? { value: value as string | number, id } : null;
}

/** A page of a site's products. A cursor is the place of the last one shown. */
export async function listProducts(
  { db }: Context,
  siteKeyHash: string,
  { id, search, sort }: ProductFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<Product>> {
  if (id !== undefined) {
    const product = isProductId(id) ? await productById(db, siteKeyHash, id) : undefined;
    return { items: product === undefined ? [] : [product], nextCursor: undefined };
  }
  const page = { after: readPlace(cursor, sort), limit: limit + 1 };
  const rows = await selectProducts(db, siteKeyHash, { search, sort }, page);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  if (last === undefined) return { items, nextCursor: undefined };
  const { value, id: lastId } = sortKeyOf(last, sort);
  return { items, nextCursor: toBase64url(utf8(JSON.stringify([value, lastId]))) };
}

/** Some of what a site sells, for its pages for agents; empty if it sells nothing now. */
export async function offeredProducts(
  { db }: Context,
  { site, snapshot }: LiveSite,
): Promise<readonly OfferedProduct[]> {
  if (!snapshot.sells) return [];
  const products = await firstOffered(db, site.siteKeyHash, OFFERED_MAX);
  return products.map(({ productId: id, title, price, url, imageUrl, ...product }) => {
    const { availability, brand, gtin, mpn, sku } = product;
    return { id, title, price, url, imageUrl, availability, brand, gtin, mpn, sku };
  });
}
