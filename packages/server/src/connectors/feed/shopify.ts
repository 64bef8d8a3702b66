import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@gatehouse/protocol";
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

function imageOf(product: JsonObject, variant: JsonObject): string {
  const own = isJsonObject(variant.featured_image) ? variant.featured_image : undefined;
  const [first] = objectsOf(product.images);
  return textOf((own ?? first)?.src).replace(/^\/\//, "https://");
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
  return {
    id,
    title: variantTitle(product, variant),
    ...(description === "" ? {} : { description: cutText(description, DESCRIPTION_CHARS_MAX) }),
    price: textOf(variant.price),
    ...(currency === null ? {} : { currency }),
    url: `https://${host}${path}?variant=${encodeURIComponent(id)}`,
    image_url: imageOf(product, variant),
    availability: variant.available === false ? "out_of_stock" : "in_stock",
  };
}

/** The variants of a page: each is a product of its own, by the id that Shopify's cart links use. */
export function* shopifyItems(
  products: readonly JsonValue[],
  first: number,
  context: Pick<FieldContext, "currency"> & { readonly url: string },
): Generator<ProductLine> {
  let line = first;
  for (const product of products) {
    const variants = isJsonObject(product) ? objectsOf(product.variants) : [];
    if (variants.length === 0) {
      yield { kind: "problem", line: line++, problem: "has no variants" };
    }
    for (const variant of variants) {
      yield {
        kind: "value",
        line: line++,
        value: fromVariant(product as JsonObject, variant, context),
      };
    }
  }
}
