import {
  formatAmount,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  ok,
  parseAmount,
  type Result,
} from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";
import { DETAIL_FIELDS, listedDetails, type ProductDetails, readDetails } from "./details.js";
import { bad, type Read, readLink, readText } from "./read-fields.js";
import { readSale, type Sale } from "./sale.js";

/** Whether a product can be ordered, in the words of common product feeds. */
export const AVAILABILITIES = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;
type Availability = (typeof AVAILABILITIES)[number];

export const PRODUCT_ID_CHARS_MAX = 100;
export const PRODUCT_TITLE_CHARS_MAX = 200;
export const PRODUCT_DESCRIPTION_CHARS_MAX = 5000;
export const QUANTITY_MAX = 1_000_000_000;
export const PRODUCTS_MAX = 100_000;

/** What lists of products are sorted by. A minus stands for the largest or newest first. */
export const PRODUCT_SORTS = [
  "id",
  "title",
  "-title",
  "price",
  "-price",
  "quantity",
  "-quantity",
  "changed_at",
  "-changed_at",
] as const;
export type ProductSort = (typeof PRODUCT_SORTS)[number];
export type ProductSortField = Exclude<ProductSort, `-${string}`>;

/** The properties of a product that its owner sets. */
interface ProductSetting extends ProductDetails {
  readonly productId: string;
  readonly title: string;
  readonly description: string;
  /** What it costs while it is not on sale. */
  readonly regularPrice: Money;
  readonly sale: Sale | null;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly availability: Availability;
  /** How many can be sold; null if the owner does not count them. */
  readonly quantity: number | null;
}

/** Fields a list may leave out. */
const OPTIONAL = [
  "description",
  "image_url",
  "url",
  "availability",
  "quantity",
  ...DETAIL_FIELDS,
] as const;

/** A product as a list names it. */
export interface ListedProduct extends ProductSetting {
  /** Fields that the line does not have. An empty field is not absent. */
  readonly absent: readonly ProductField[];
}

/** A line of an update that leaves out the name or the price. Only the product that it changes completes it. */
export interface PartialProduct {
  readonly productId: string;
  readonly value: JsonObject;
}

/** A product as it is stored. */
export interface Product extends ProductSetting {
  /** What it costs now. */
  readonly price: Money;
  /** How many are being paid for now. */
  readonly reserved: number;
  /** Whether the owner has taken it off sale for now: nobody finds it, and nobody buys it. */
  readonly paused: boolean;
  /** The only agent that can buy a test item; null for everything that the site sells. */
  readonly testAgentId: string | null;
  readonly changedAt: number;
}

/** The same for all variants of a product. One without variants is alone in a group with its own id. */
export function groupOf({ itemGroupId, productId }: ProductSetting): string {
  return itemGroupId ?? productId;
}

/** The fields in which a product can differ from a line of a list. */
export const COMPARED_FIELDS = ["title", "price", "sale_price", ...OPTIONAL] as const;
export type ProductField = (typeof COMPARED_FIELDS)[number];

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function isSamePrice(a: Money, b: Money): boolean {
  return a.minor === b.minor && a.currency === b.currency;
}

function isSameSale(a: Sale | null, b: Sale | null): boolean {
  return a?.minor === b?.minor && a?.from === b?.from && a?.until === b?.until;
}

/** The fields that a line of a list would change. With `updates`, those that it leaves out stay as they are. */
export function changedFields(
  before: ProductSetting,
  line: ListedProduct,
  updates: boolean,
): readonly ProductField[] {
  const isSame: Readonly<Partial<Record<ProductField, boolean>>> = {
    title: before.title === line.title,
    price: isSamePrice(before.regularPrice, line.regularPrice),
    sale_price: isSameSale(before.sale, line.sale),
    description: before.description === line.description,
    image_url: before.imageUrl === line.imageUrl,
    url: before.url === line.url,
    availability: before.availability === line.availability,
    quantity: before.quantity === line.quantity,
  };
  const [had, has] = [listedDetails(before), listedDetails(line)];
  const changed = new Set<string>([
    ...Object.keys(isSame).filter((field) => isSame[field as ProductField] === false),
    ...DETAIL_FIELDS.filter((field) => !isEqual(had[field], has[field])),
  ]);
  const staying: readonly string[] = updates ? line.absent : [];
  return COMPARED_FIELDS.filter((field) => changed.has(field) && !staying.includes(field));
}

/** The fields of a product in a list. */
export const PRODUCT_FIELDS: readonly string[] = [
  "id",
  "title",
  "description",
  "price",
  "currency",
  "image_url",
  "url",
  "availability",
  "quantity",
  "sale_price",
  "sale_from",
  "sale_until",
  ...DETAIL_FIELDS,
];

/** Feeds write `in stock`, `In_Stock`, `IN STOCK`: the same word. */
function readAvailability(value: JsonValue | undefined): Read<Availability> {
  if (value === undefined || value === null || value === "") return ok("in_stock");
  const word = typeof value === "string" ? value.trim().toLowerCase().replaceAll(/[ -]/g, "_") : "";
  const known = AVAILABILITIES.find((name) => name === word);
  return known === undefined
    ? bad(`availability: must be one of ${AVAILABILITIES.join(", ")}`)
    : ok(known);
}

function readQuantity(value: JsonValue | undefined): Read<number | null> {
  if (value === undefined || value === null || value === "") return ok(null);
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  const whole = typeof number === "number" && Number.isSafeInteger(number) && number >= 0;
  if (!whole || number > QUANTITY_MAX) return bad("quantity: must be a whole number, 0 or more");
  return ok(number);
}

/** `12.50`, or `12.50 EUR`, as many shops write it if there is no field for the currency. */
function readPrice(price: JsonValue | undefined, currency: JsonValue | undefined): Read<Money> {
  if (typeof price !== "string" && typeof price !== "number") return bad("price: is missing");
  const [, amount = "", behind] = /^\s*(\S+)(?:\s+([A-Za-z]{3}))?\s*$/.exec(String(price)) ?? [];
  const named = typeof currency === "string" && currency.trim() !== "" ? currency.trim() : behind;
  if (named === undefined) return bad("currency: is missing");
  if (behind !== undefined && behind.toUpperCase() !== named.toUpperCase()) {
    return bad("price: has a different currency than `currency`");
  }
  const money = parseAmount(amount, named.toUpperCase());
  if (money.ok) return money;
  const field = money.reason === "unknown_currency" ? "currency" : "price";
  const example = field === "price" ? "; use a number such as 12.50" : ", such as EUR";
  return bad(`${field}: ${money.detail}${example}`);
}

/** A product in the words of a list, so that it can be written and read again. */
export function listedFields(product: ProductSetting) {
  const { regularPrice, sale } = product;
  const timeOf = (ms: number | null | undefined) => (ms == null ? null : isoTime(ms));
  return {
    id: product.productId,
    title: product.title,
    description: product.description,
    price: formatAmount(regularPrice),
    currency: regularPrice.currency,
    image_url: product.imageUrl,
    url: product.url,
    availability: product.availability,
    quantity: product.quantity,
    sale_price:
      sale === null ? null : formatAmount({ minor: sale.minor, currency: regularPrice.currency }),
    sale_from: timeOf(sale?.from),
    sale_until: timeOf(sale?.until),
    ...listedDetails(product),
  };
}

/** Reads one product of a list strictly. A refusal names the first wrong field. */
export function readProduct(value: JsonValue): Result<ListedProduct, "invalid"> {
  if (!isJsonObject(value)) return bad("must be an object");
  if (!Object.keys(value).every((name) => PRODUCT_FIELDS.includes(name))) {
    return bad(`has an unknown field; products have ${PRODUCT_FIELDS.join(", ")}`);
  }
  const productId = readText(value.id, "id", PRODUCT_ID_CHARS_MAX);
  if (!productId.ok) return productId;
  const title = readText(value.title, "title", PRODUCT_TITLE_CHARS_MAX);
  if (!title.ok) return title;
  const given = value.description;
  const hasDescription = given !== undefined && given !== null && given !== "";
  const description = readText(
    hasDescription ? given : title.value,
    "description",
    PRODUCT_DESCRIPTION_CHARS_MAX,
  );
  if (!description.ok) return description;
  const price = readPrice(value.price, value.currency);
  if (!price.ok) return price;
  const imageUrl = readLink(value.image_url, "image_url");
  if (!imageUrl.ok) return imageUrl;
  const url = readLink(value.url, "url");
  if (!url.ok) return url;
  const availability = readAvailability(value.availability);
  if (!availability.ok) return availability;
  const quantity = readQuantity(value.quantity);
  if (!quantity.ok) return quantity;
  const sale = readSale(value, price.value);
  if (!sale.ok) return sale;
  const details = readDetails(value);
  if (!details.ok) return details;
  return ok(
    Object.freeze({
      productId: productId.value,
      title: title.value,
      description: description.value,
      regularPrice: price.value,
      sale: sale.value,
      imageUrl: imageUrl.value,
      url: url.value,
      availability: availability.value,
      quantity: quantity.value,
      ...details.value,
      absent: OPTIONAL.filter((name) => !Object.hasOwn(value, name)),
    }),
  );
}

/** Undefined for a line that has a name and a price, or whose id cannot be read. */
export function readPartial(value: JsonValue): PartialProduct | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, "title") && Object.hasOwn(value, "price")) return undefined;
  const id = readText(value.id, "id", PRODUCT_ID_CHARS_MAX);
  return id.ok ? { productId: id.value, value } : undefined;
}

/** Reads such a line with the name and the price of the product. Both are absent, so that neither is written. */
export function completeProduct(
  { value }: PartialProduct,
  before: ProductSetting,
): Result<ListedProduct, "invalid"> {
  const { title, price, currency, sale_price, sale_from, sale_until } = listedFields(before);
  const given = (name: string) => Object.hasOwn(value, name);
  const isOtherCurrency =
    given("currency") && ![currency, "", null].includes(value.currency as never);
  if (!given("price") && isOtherCurrency) return bad("price: is missing");
  const keepsPrices = !["price", "sale_price", "sale_from", "sale_until"].some(given);
  const read = readProduct({
    title,
    ...(given("price") ? {} : { sale_price, sale_from, sale_until }),
    ...value,
    ...(given("price") ? {} : { price, currency }),
  });
  if (!read.ok) return read;
  const kept: readonly ProductField[] = [
    ...(given("title") ? [] : (["title"] as const)),
    ...(keepsPrices ? (["price", "sale_price"] as const) : []),
  ];
  return ok(Object.freeze({ ...read.value, absent: [...read.value.absent, ...kept] }));
}

/**
 * A product of a feed, with other prices if its sale cannot be read: a wrong sale must not keep a product from being
 * sold.
 */
export function withReadableSale(value: JsonObject, otherPrices: JsonObject): JsonObject {
  const hasSale = value.sale_price !== undefined && value.sale_price !== null;
  return hasSale && !readProduct(value).ok ? { ...value, ...otherPrices } : value;
}
