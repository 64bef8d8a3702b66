import {
  isJsonObject,
  type JsonValue,
  type Money,
  ok,
  parseAmount,
  parseUrl,
  type Result,
  refuse,
  strictHref,
} from "@gatehouse/protocol";

/** Whether a product can be ordered, in the words of common product feeds. */
export const AVAILABILITIES = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;
type Availability = (typeof AVAILABILITIES)[number];

export const PRODUCT_ID_CHARS_MAX = 100;
export const PRODUCT_TITLE_CHARS_MAX = 200;
export const PRODUCT_DESCRIPTION_CHARS_MAX = 5000;
const URL_CHARS_MAX = 2048;
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
interface ProductSetting {
  readonly productId: string;
  readonly title: string;
  readonly description: string;
  readonly price: Money;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly availability: Availability;
  /** How many can be sold; null if the owner does not count them. */
  readonly quantity: number | null;
}

/** Fields a list may leave out. */
const OPTIONAL = ["description", "image_url", "url", "availability", "quantity"] as const;
type OptionalField = (typeof OPTIONAL)[number];

/** A product as a list names it. */
export interface ListedProduct extends ProductSetting {
  /** Fields that the line does not have. An empty field is not absent. */
  readonly absent: readonly OptionalField[];
}

/** A product as it is stored. */
export interface Product extends ProductSetting {
  /** How many are being paid for now. */
  readonly reserved: number;
  /** Whether the owner has taken it off sale for now: nobody finds it, and nobody buys it. */
  readonly paused: boolean;
  /** The only agent that can buy a test item; null for everything that the site sells. */
  readonly testAgentId: string | null;
  readonly changedAt: number;
}

/** The fields in which a product can differ from a line of a list. */
export const COMPARED_FIELDS = ["title", "price", ...OPTIONAL] as const;
export type ProductField = (typeof COMPARED_FIELDS)[number];

/** The fields that a line of a list would change. With `updates`, those that it leaves out stay as they are. */
export function changedFields(
  before: ProductSetting,
  line: ListedProduct,
  updates: boolean,
): readonly ProductField[] {
  const isSame: Readonly<Record<ProductField, boolean>> = {
    title: before.title === line.title,
    price: before.price.minor === line.price.minor && before.price.currency === line.price.currency,
    description: before.description === line.description,
    image_url: before.imageUrl === line.imageUrl,
    url: before.url === line.url,
    availability: before.availability === line.availability,
    quantity: before.quantity === line.quantity,
  };
  const staying: readonly string[] = updates ? line.absent : [];
  return COMPARED_FIELDS.filter((field) => !isSame[field] && !staying.includes(field));
}

/** Characters that are invisible or change how other text is displayed. Texts of products must not have them. */
export const UNSEEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufeff]/u;

const MARKS = /\p{M}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** The words of a text for search: without accents, in lower case. */
export function wordsOf(text: string): readonly string[] {
  const folded = text.normalize("NFKD").replaceAll(MARKS, "").toLowerCase();
  return folded.split(BETWEEN_WORDS).filter((word) => word !== "");
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
];

type Read<T> = Result<T, "invalid">;
const bad = (detail: string) => refuse("invalid", detail);

function readText(value: JsonValue | undefined, name: string, charsMax: number): Read<string> {
  if (typeof value !== "string" && typeof value !== "number") return bad(`${name}: is missing`);
  const text = String(value)
    .replaceAll(/[\r\n\t]+/g, " ")
    .trim();
  if (text === "") return bad(`${name}: is missing`);
  if (UNSEEN.test(text)) return bad(`${name}: has invisible characters`);
  if ([...text].length > charsMax) return bad(`${name}: has more than ${charsMax} characters`);
  return ok(text);
}

function readLink(value: JsonValue | undefined, name: string): Read<string | null> {
  if (value === undefined || value === null || value === "") return ok(null);
  const url = typeof value === "string" ? parseUrl(value.trim()) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.href.length > URL_CHARS_MAX) {
    return bad(`${name}: must be an address that begins with https://`);
  }
  return ok(strictHref(url));
}

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
  return ok(
    Object.freeze({
      productId: productId.value,
      title: title.value,
      description: description.value,
      price: price.value,
      imageUrl: imageUrl.value,
      url: url.value,
      availability: availability.value,
      quantity: quantity.value,
      absent: OPTIONAL.filter((name) => !Object.hasOwn(value, name)),
    }),
  );
}
