import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@gatehouse/protocol";
import { MORE_IMAGES_MAX, OPTIONS_MAX, readableDetails } from "../../domain/products/details.js";
import { withReadableSale } from "../../domain/products/product.js";
import { type ProductLine, UnreadableListError } from "../../domain/products/product-lines.js";
import type { FieldContext } from "./google-fields.js";
import { cutText, plainText } from "./plain-text.js";

/** The most that Shopify returns on one page. */
const PAGE_PRODUCTS = 250;
/** A site has at most 100,000 products. */
export const PAGES_MAX = 400;
const PAGE_VALUES_MAX = 2_000_000;
const DESCRIPTION_CHARS_MAX = 5000;
/** The longest HTML description and the longest other text that are read: many times what a product can have. */
const HTML_CHARS_MAX = 64 * 1024;
const TEXT_CHARS_MAX = 2048;
/** Pictures of a product that are looked at. Shopify has at most 250. */
const IMAGES_READ_MAX = 250;
/** The only variant of a product without options. */
const DEFAULT_TITLE = "Default Title";

/** The address of one page. */
export function pageAddress(url: string, page: number): string {
  const address = new URL(url);
  address.searchParams.set("limit", String(PAGE_PRODUCTS));
  address.searchParams.set("page", String(page));
  return address.href;
}

const listOf = (value: JsonValue | undefined) => (Array.isArray(value) ? value : []) as JsonValue[];
const objectsOf = (value: JsonValue | undefined) => listOf(value).filter(isJsonObject);
const textOf = (value: JsonValue | undefined) =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** The products of a page. */
export function readPage(bytes: Uint8Array): readonly JsonValue[] {
  const parsed = parseJson(bytes, { valuesMax: PAGE_VALUES_MAX });
  if (!parsed.ok) throw new UnreadableListError(`The JSON cannot be read: ${parsed.detail}.`);
  const products = isJsonObject(parsed.value) ? parsed.value.products : undefined;
  if (Array.isArray(products)) return products as readonly JsonValue[];
  throw new UnreadableListError("The JSON has no list of products.");
}

/** Without the half of a character that a cut can leave. */
const cut = (text: string, charsMax: number) =>
  text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "");
const shortOf = (value: JsonValue | undefined) => cut(textOf(value), TEXT_CHARS_MAX);
const plainOf = (value: JsonValue | undefined) => plainText(shortOf(value));

/** Empty if it is too long for an address. */
function addressOf({ src }: JsonObject): string {
  const text = textOf(src);
  return text.length > TEXT_CHARS_MAX ? "" : text.replace(/^\/\//, "https://");
}

/**
 * What all variants of a product share. It is read once for all of them: a hostile feed can have a long text and many
 * variants on one page.
 */
interface Shared {
  readonly title: string;
  readonly description: string;
  readonly brand: string;
  readonly category: string;
  readonly groupId: string;
  readonly path: string;
  readonly images: readonly string[];
  readonly optionNames: readonly string[];
}

function sharedOf(product: JsonObject): Shared {
  const { title, body_html, vendor, product_type, id, handle, images, options } = product;
  return {
    title: plainOf(title),
    description: cutText(plainText(cut(textOf(body_html), HTML_CHARS_MAX)), DESCRIPTION_CHARS_MAX),
    brand: plainOf(vendor),
    category: plainOf(product_type),
    groupId: listOf(product.variants).length > 1 ? shortOf(id) : "",
    path: `/products/${encodeURIComponent(shortOf(handle))}`,
    images: objectsOf(listOf(images).slice(0, IMAGES_READ_MAX)).map(addressOf),
    optionNames: objectsOf(listOf(options).slice(0, OPTIONS_MAX)).map(({ name }) => plainOf(name)),
  };
}

function variantTitle({ title }: Shared, variant: JsonObject): string {
  const option = plainOf(variant.title);
  return option === "" || option === DEFAULT_TITLE ? title : `${title} – ${option}`;
}

function imageOf({ images: [first = ""] }: Shared, { featured_image: own }: JsonObject): string {
  return isJsonObject(own) ? addressOf(own) : first;
}

/** The name and value of each option: `Size: M`. */
function optionsOf({ optionNames }: Shared, variant: JsonObject): JsonObject {
  const pairs = optionNames.flatMap((name, place) => {
    const value = plainOf(variant[`option${place + 1}`]);
    return value === "" || value === DEFAULT_TITLE ? [] : [[name, value]];
  });
  return Object.fromEntries(pairs);
}

/** What helps to recognize a variant. */
function detailsOf(shared: Shared, variant: JsonObject): JsonObject {
  const image = imageOf(shared, variant);
  const others = shared.images.filter((url) => url !== "" && url !== image);
  const options = optionsOf(shared, variant);
  return readableDetails({
    brand: shared.brand,
    gtin: textOf(variant.barcode),
    sku: plainOf(variant.sku),
    category: shared.category,
    additional_image_urls: others.slice(0, MORE_IMAGES_MAX),
    item_group_id: shared.groupId,
    options: Object.keys(options).length === 0 ? "" : options,
  });
}

/** Shopify names the price of now, and the one before the sale. */
function pricesOf({ price, compare_at_price: before }: JsonObject) {
  const [now, regular] = [textOf(price), textOf(before)];
  const isOnSale = Number.parseFloat(now) < Number.parseFloat(regular);
  return isOnSale ? { price: regular, sale_price: now } : { price: now, sale_price: null };
}

function fromVariant(
  shared: Shared,
  variant: JsonObject,
  { url, currency }: { readonly url: string; readonly currency: string | null },
): JsonObject {
  const id = textOf(variant.id);
  const { description, path } = shared;
  const { host } = new URL(url);
  const value = {
    id,
    title: variantTitle(shared, variant),
    ...(description === "" ? {} : { description }),
    ...pricesOf(variant),
    ...(currency === null ? {} : { currency }),
    url: `https://${host}${path}?variant=${encodeURIComponent(id)}`,
    image_url: imageOf(shared, variant),
    availability: variant.available === false ? "out_of_stock" : "in_stock",
    ...detailsOf(shared, variant),
  };
  return withReadableSale(value, { price: textOf(variant.price), sale_price: null });
}

/** The variants of a page: each is a separate product, with the id that Shopify's cart links use. */
export function* shopifyItems(
  products: readonly JsonValue[],
  first: number,
  context: FieldContext & { readonly url: string },
): Generator<ProductLine> {
  let line = first;
  for (const product of products) {
    const variants = isJsonObject(product) ? listOf(product.variants) : [];
    if (variants.length === 0) {
      yield { kind: "problem", line: line++, problem: "has no variants", id: null };
      continue;
    }
    const shared = sharedOf(product as JsonObject);
    for (const variant of variants) {
      yield {
        kind: "value",
        line: line++,
        value: fromVariant(shared, isJsonObject(variant) ? variant : {}, context),
      };
    }
  }
}
