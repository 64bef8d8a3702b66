import type { JsonObject } from "@gatehouse/protocol";
import { cutText, plainText } from "./plain-text.js";

/** Attributes of a product in Google's words, without the prefix. */
export type GoogleAttributes = Readonly<Record<string, string>>;

export interface FieldContext {
  /** For prices without a currency. */
  readonly currency: string | null;
  readonly now: number;
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

/** Whether a range of times such as `2030-01-01T00:00Z/2030-02-01T00:00Z` contains a moment. */
function isWithin(range: string, now: number): boolean {
  const [from = Number.NaN, to = Number.NaN] = range.split("/").map((time) => Date.parse(time));
  return from <= now && now < to;
}

/** What a product costs now: a sale price counts only within its time. */
function priceOf(attributes: GoogleAttributes, now: number): string | undefined {
  const { price, sale_price, sale_price_effective_date: range = "" } = attributes;
  const isOnSale = sale_price !== undefined && (range === "" || isWithin(range, now));
  return isOnSale ? sale_price : price;
}

/** A product of Google's feed in our fields. What is missing or wrong is found when the product is read. */
export function fromGoogle(
  attributes: GoogleAttributes,
  { currency, now }: FieldContext,
): JsonObject {
  const { id, title, description, link, image_link, availability } = attributes;
  const price = priceOf(attributes, now);
  const quantity = QUANTITIES.map((name) => attributes[name]).find((text) => text !== undefined);
  const hasCurrency = /[A-Za-z]{3}\s*$/.test(price ?? "");
  return {
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
  };
}

/** The name of a column or an element: `g:image link` and `Image_Link` are the same. */
export function attributeName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^g:/, "")
    .replaceAll(/[\s-]+/g, "_");
}
