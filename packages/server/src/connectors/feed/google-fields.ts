import type { JsonObject } from "@gatehouse/protocol";
import { readableDetails } from "../../domain/products/details.js";
import { withReadableSale } from "../../domain/products/product.js";
import { isoTime } from "../../infra/clock.js";
import { cutText, plainText } from "./plain-text.js";

/** Attributes of a product in Google's words, without the prefix. */
export type GoogleAttributes = Readonly<Record<string, string>>;

export interface FieldContext {
  /** For prices without a currency. */
  readonly currency: string | null;
}

const DESCRIPTION_CHARS_MAX = 5000;
/** Google and Facebook have had several names for it. */
const QUANTITIES = [
  "quantity",
  "inventory",
  "quantity_to_sell_on_facebook",
  "sell_on_google_quantity",
];

/** `https://schema.org/InStock` and `available for order` are older words for the same. */
function availabilityOf(word: string): string {
  const short = word.replace(/^https?:\/\/schema\.org\//i, "").trim();
  const spaced = short.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
  return spaced === "pre_order" || spaced === "back_order" ? spaced.replace("_", "") : spaced;
}

/** The number of a price such as `12.50 EUR`, to see which of two is lower. */
const numberIn = (price: string | undefined) => Number.parseFloat(price ?? "");

const NO_SALE = { sale_price: null, sale_from: null, sale_until: null };

/**
 * The sale of a product: its price and a range such as `2030-01-01T00:00Z/2030-02-01T00:00Z`. A feed lists its sales in
 * full, so no sale price ends the sale.
 */
function saleOf({ price, sale_price, sale_price_effective_date: range = "" }: GoogleAttributes) {
  // Some feeds write 0.00 for no sale.
  if (!(numberIn(sale_price) > 0 && numberIn(sale_price) < numberIn(price))) return NO_SALE;
  if (range === "") return { sale_price: sale_price as string };
  const [from = Number.NaN, until = Number.NaN] = range.split("/").map((time) => Date.parse(time));
  if (!(from < until)) return NO_SALE;
  const times = { sale_from: isoTime(from), sale_until: isoTime(until) };
  return { sale_price: sale_price as string, ...times };
}

/** What distinguishes the variants of a product, in our words. */
const OPTIONS = { color: "Color", size: "Size", material: "Material", pattern: "Pattern" };

/** What helps to recognize a product. A category that is a number says nothing to buyers. */
function detailsOf(attributes: GoogleAttributes): JsonObject {
  const { brand = "", gtin = "", mpn = "", identifier_exists = "" } = attributes;
  const { item_group_id = "" } = attributes;
  const { product_type, google_product_category = "", additional_image_link = "" } = attributes;
  const category = product_type ?? google_product_category;
  const options = Object.entries(OPTIONS).flatMap(([name, label]) => {
    const value = attributes[name];
    return value === undefined ? [] : [[label, plainText(value)]];
  });
  return readableDetails({
    brand: plainText(brand),
    gtin,
    mpn: plainText(mpn),
    identifier_exists,
    category: /^\d*$/.test(category) ? "" : plainText(category),
    additional_image_urls: additional_image_link,
    item_group_id,
    options: options.length === 0 ? "" : Object.fromEntries(options),
  });
}

/** A product of Google's feed in our fields. What is missing or wrong is found when the product is read. */
export function fromGoogle(attributes: GoogleAttributes, { currency }: FieldContext): JsonObject {
  const { id, title, description, link, image_link, availability, price } = attributes;
  const quantity = QUANTITIES.map((name) => attributes[name]).find((text) => text !== undefined);
  const hasCurrency = /[A-Za-z]{3}\s*$/.test(price ?? "");
  const value = {
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title: plainText(title) }),
    ...(description === undefined
      ? {}
      : { description: cutText(plainText(description), DESCRIPTION_CHARS_MAX) }),
    ...(price === undefined ? {} : { price }),
    ...(currency === null || hasCurrency ? {} : { currency }),
    ...(link === undefined ? {} : { url: link }),
    ...(image_link === undefined ? {} : { image_url: image_link }),
    ...(availability === undefined ? {} : { availability: availabilityOf(availability) }),
    ...(quantity === undefined ? {} : { quantity }),
    ...saleOf(attributes),
    ...detailsOf(attributes),
  };
  return withReadableSale(value, NO_SALE);
}

/** The name of a column or an element: `g:image link` and `Image_Link` are the same. */
export function attributeName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^g:/, "")
    .replaceAll(/[\s-]+/g, "_");
}
