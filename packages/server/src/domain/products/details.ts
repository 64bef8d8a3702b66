import { isJsonObject, type JsonObject, type JsonValue, ok } from "@gatehouse/protocol";
import { bad, type Read, readLink, readText } from "./read-fields.js";

export const BRAND_CHARS_MAX = 100;
export const MPN_CHARS_MAX = 100;
export const SKU_CHARS_MAX = 100;
export const CATEGORY_CHARS_MAX = 750;
export const MORE_IMAGES_MAX = 10;
export const GROUP_ID_CHARS_MAX = 100;
export const OPTIONS_MAX = 10;
export const OPTION_NAME_CHARS_MAX = 50;
export const OPTION_VALUE_CHARS_MAX = 100;

/** What distinguishes a variant from the others of its group, such as its size. */
interface ProductOption {
  readonly name: string;
  readonly value: string;
}

/** What buyers and search engines need to recognize a product. None of it is required. */
export interface ProductDetails {
  readonly brand: string | null;
  /** The number under the barcode: 8, 12, 13 or 14 digits. */
  readonly gtin: string | null;
  /** The number that the manufacturer has given it. */
  readonly mpn: string | null;
  /** The number under which the shop keeps it. Several products can have the same one. */
  readonly sku: string | null;
  /** False if its owner says that it has no GTIN, and not both a brand and an MPN. Null: nobody has said it. */
  readonly identifierExists: boolean | null;
  /** A path, from the largest category to the smallest: `Garden > Flowers`. */
  readonly category: string | null;
  readonly additionalImageUrls: readonly string[];
  /** The same for all variants of a product. */
  readonly itemGroupId: string | null;
  readonly options: readonly ProductOption[];
}

/** The fields of the details in a list. */
export const DETAIL_FIELDS = [
  "brand",
  "gtin",
  "mpn",
  "sku",
  "identifier_exists",
  "category",
  "additional_image_urls",
  "item_group_id",
  "options",
] as const;
type DetailField = (typeof DETAIL_FIELDS)[number];

const isEmpty = (value: JsonValue | undefined) =>
  value === undefined || value === null || value === "";

function readOptional(
  value: JsonValue | undefined,
  name: string,
  charsMax: number,
): Read<string | null> {
  return isEmpty(value) ? ok(null) : readText(value, name, charsMax);
}

const GTIN = /^(?:\d{8}|\d{12,14})$/;

/** GS1: from the right, the digits before the check digit count 3, 1, 3, 1, … times. */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

function readGtin(value: JsonValue | undefined): Read<string | null> {
  if (isEmpty(value)) return ok(null);
  const isText = typeof value === "string" || typeof value === "number";
  const digits = isText ? String(value).replaceAll(/[\s-]/g, "") : "";
  if (GTIN.test(digits) && hasCheckDigit(digits)) return ok(digits);
  return bad("gtin: must have 8, 12, 13 or 14 digits, and end with the right check digit");
}

/** `yes` and `no` are the words of product feeds. */
const IDENTIFIER_EXISTS: ReadonlyMap<JsonValue, boolean> = new Map<JsonValue, boolean>([
  [true, true],
  [false, false],
  ["yes", true],
  ["true", true],
  ["no", false],
  ["false", false],
]);

function readIdentifierExists(value: JsonValue | undefined): Read<boolean | null> {
  if (isEmpty(value)) return ok(null);
  const word = typeof value === "string" ? value.trim().toLowerCase() : (value as JsonValue);
  const exists = IDENTIFIER_EXISTS.get(word);
  return exists === undefined ? bad("identifier_exists: must be yes or no") : ok(exists);
}

function readCategory(value: JsonValue | undefined): Read<string | null> {
  const text = readOptional(value, "category", CATEGORY_CHARS_MAX);
  if (!text.ok || text.value === null) return text;
  const steps = text.value.split(">").map((step) => step.trim());
  if (steps.includes("")) return bad("category: must be a path such as Garden > Flowers");
  return ok(steps.join(" > "));
}

/** Addresses with blanks or commas between them, as they are in one field of a table. Takes one step per character. */
function addressesIn(text: string): readonly string[] {
  return text
    .trim()
    .split(/[\s,](?=https?:)/i)
    .map((part) => {
      let end = part.length;
      while (end > 0 && /[\s,]/.test(part.charAt(end - 1))) end--;
      return part.slice(0, end);
    })
    .filter((part) => part !== "");
}

function readImages(value: JsonValue | undefined): Read<readonly string[]> {
  const name = "additional_image_urls";
  if (isEmpty(value)) return ok([]);
  const list = typeof value === "string" ? addressesIn(value) : value;
  if (!Array.isArray(list)) return bad(`${name}: must be a list of addresses`);
  if (list.length > MORE_IMAGES_MAX) return bad(`${name}: has more than ${MORE_IMAGES_MAX}`);
  const urls: string[] = [];
  for (const one of list as readonly JsonValue[]) {
    const url = readLink(one, name);
    if (!url.ok) return url;
    if (url.value === null) return bad(`${name}: must be addresses that begin with https://`);
    if (!urls.includes(url.value)) urls.push(url.value);
  }
  return ok(Object.freeze(urls));
}

/** `Color: Red; Size: M`, as it is in one field of a table. */
function readPairs(text: string): Read<[string, JsonValue][]> {
  const pairs: [string, JsonValue][] = [];
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const [, name, value] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      return bad("options: must be written as Color: Red; Size: M");
    }
    pairs.push([name, value]);
  }
  return ok(pairs);
}

function readOptions(value: JsonValue | undefined): Read<readonly ProductOption[]> {
  if (isEmpty(value)) return ok([]);
  const isRead = typeof value === "string" || isJsonObject(value as JsonValue);
  if (!isRead) return bad('options: must be an object such as {"Color": "Red"}');
  const pairs =
    typeof value === "string" ? readPairs(value) : ok(Object.entries(value as JsonObject));
  if (!pairs.ok) return pairs;
  if (pairs.value.length > OPTIONS_MAX) return bad(`options: has more than ${OPTIONS_MAX}`);
  const options: ProductOption[] = [];
  for (const [key, given] of pairs.value) {
    const name = readText(key, "options", OPTION_NAME_CHARS_MAX);
    if (!name.ok) return name;
    const text = readText(given, "options", OPTION_VALUE_CHARS_MAX);
    if (!text.ok) return text;
    // So that every option can be written in one field of a table.
    if (/[:;]/.test(name.value) || text.value.includes(";")) {
      return bad("options: a name has no colon or semicolon, and a value no semicolon");
    }
    if (options.some((one) => one.name === name.value)) {
      return bad("options: has the same name twice");
    }
    options.push(Object.freeze({ name: name.value, value: text.value }));
  }
  return ok(Object.freeze(options));
}

/** How each field is read. */
const READERS: Readonly<
  Record<
    DetailField,
    (value: JsonValue | undefined) => Read<string | boolean | null | readonly unknown[]>
  >
> = {
  brand: (value) => readOptional(value, "brand", BRAND_CHARS_MAX),
  gtin: readGtin,
  mpn: (value) => readOptional(value, "mpn", MPN_CHARS_MAX),
  sku: (value) => readOptional(value, "sku", SKU_CHARS_MAX),
  identifier_exists: readIdentifierExists,
  category: readCategory,
  additional_image_urls: readImages,
  item_group_id: (value) => readOptional(value, "item_group_id", GROUP_ID_CHARS_MAX),
  options: readOptions,
};

/** Reads the details of a product strictly. A refusal names the first wrong field. */
export function readDetails(value: JsonObject): Read<ProductDetails> {
  const values: Partial<Record<DetailField, unknown>> = {};
  for (const field of DETAIL_FIELDS) {
    const read = READERS[field](value[field]);
    if (!read.ok) return read;
    values[field] = read.value;
  }
  const {
    additional_image_urls: additionalImageUrls,
    identifier_exists: identifierExists,
    item_group_id: itemGroupId,
    ...rest
  } = values;
  const renamed = { additionalImageUrls, identifierExists, itemGroupId };
  return ok({ ...rest, ...renamed } as ProductDetails);
}

/**
 * The details that can be read. Feeds are written for others, and many have a wrong number or picture: that must not
 * keep the product from being sold.
 */
export function readableDetails(details: JsonObject): JsonObject {
  const isReadable = ([name, value]: [string, JsonValue]) =>
    !isEmpty(value) && READERS[name as DetailField](value).ok;
  return Object.fromEntries(Object.entries(details).filter(isReadable));
}

/** The details in the words of a list. */
export function listedDetails(details: ProductDetails) {
  const { brand, gtin, mpn, sku, identifierExists, category, additionalImageUrls } = details;
  const { itemGroupId, options } = details;
  return {
    brand,
    gtin,
    mpn,
    sku,
    identifier_exists: identifierExists,
    category,
    additional_image_urls: [...additionalImageUrls],
    item_group_id: itemGroupId,
    options: Object.fromEntries(options.map(({ name, value }) => [name, value])),
  };
}
