import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@gatehouse/protocol";
import { MORE_IMAGES_MAX, readableDetails } from "../../domain/products/details.js";
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

function variantTitle(product: JsonObject, variant: JsonObject): string {
  const title = plainText(textOf(product.title));
  const option = plainText(textOf(variant.title));
  return option === "" || option === DEFAULT_TITLE ? title : `${title} – ${option}`;
}

const addressOf = (image: JsonObject | undefined) =>
  textOf(image?.src).replace(/^\/\//, "https://");

function imageOf(product: JsonObject, variant: JsonObject): string {
  const own = isJsonObject(variant.featured_image) ? variant.featured_image : undefined;
  const [first] = objectsOf(product.images);
  return addressOf(own ?? first);
}

/** The name and value of each option: `Size: M`. */
function optionsOf(product: JsonObject, variant: JsonObject): JsonObject {
  const pairs = objectsOf(product.options).flatMap(({ name }, place) => {
    const value = plainText(textOf(variant[`option${place + 1}`]));
    return value === "" || value === DEFAULT_TITLE ? [] : [[plainText(textOf(name)), value]];
  });
  return Object.fromEntries(pairs);
}

/** What helps to recognize a variant. */
function detailsOf(product: JsonObject, variant: JsonObject): JsonObject {
  const image = imageOf(product, variant);
  const others = objectsOf(product.images)
    .map(addressOf)
    .filter((url) => url !== "" && url !== image);
  const options = optionsOf(product, variant);
  return readableDetails({
    brand: plainText(textOf(product.vendor)),
    gtin: textOf(variant.barcode),
    sku: plainText(textOf(variant.sku)),
    category: plainText(textOf(product.product_type)),
    additional_image_urls: others.slice(0, MORE_IMAGES_MAX),
    item_group_id: listOf(product.variants).length > 1 ? textOf(product.id) : "",
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
  product: JsonObject,
  variant: JsonObject,
  { url, currency }: { readonly url: string; readonly currency: string | null },
): JsonObject {
  const id = textOf(variant.id);
  const description = plainText(textOf(product.body_html));
  const path = `/products/${encodeURIComponent(textOf(product.handle))}`;
  const { host } = new URL(url);
  const value = {
    id,
    title: variantTitle(product, variant),
    ...(description === "" ? {} : { description: cutText(description, DESCRIPTION_CHARS_MAX) }),
    ...pricesOf(variant),
    ...(currency === null ? {} : { currency }),
    url: `https://${host}${path}?variant=${encodeURIComponent(id)}`,
    image_url: imageOf(product, variant),
    availability: variant.available === false ? "out_of_stock" : "in_stock",
    ...detailsOf(product, variant),
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
    }
    for (const variant of variants) {
      yield {
        kind: "value",
        line: line++,
        value: fromVariant(product as JsonObject, isJsonObject(variant) ? variant : {}, context),
      };
    }
  }
}
