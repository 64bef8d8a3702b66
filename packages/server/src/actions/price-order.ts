import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  ok,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import { PRODUCT_ID_CHARS_MAX, type Product, UNSEEN } from "../owners/products/product.js";
import { productById, type Wanted } from "../owners/products/store.js";
import type { Queries } from "../platform/db/database.js";

const ITEMS_MAX = 50;
const ITEM_QUANTITY_MAX = 1000;

/** A line of an order: what is bought, how often, for how much each. */
export interface PricedItem {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_minor: number;
}

/** What somebody wants to buy, at the prices of now. */
export interface PricedOrder {
  readonly amount: Money;
  readonly items: readonly PricedItem[];
}

export type PriceFault = "cart_invalid" | "out_of_stock";

function readItem(value: JsonValue): Wanted | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, quantity, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof id !== "string" || id === "" || id.length > PRODUCT_ID_CHARS_MAX) return undefined;
  // No product has such an id, and not every database can be asked for one.
  if (UNSEEN.test(id)) return undefined;
  const counted = typeof quantity === "number" && Number.isInteger(quantity);
  if (!counted || quantity < 1 || quantity > ITEM_QUANTITY_MAX) return undefined;
  return { id, quantity };
}

/** The `items` of an order: each product once, in whole pieces. */
function readItems(args: JsonObject): Result<readonly Wanted[], "cart_invalid"> {
  const { items, ...others } = args;
  if (Object.keys(others).length > 0) {
    return refuse("cart_invalid", "There is no argument but `items`.");
  }
  if (!Array.isArray(items) || items.length === 0 || items.length > ITEMS_MAX) {
    return refuse("cart_invalid", `\`items\` must be a list of 1 to ${ITEMS_MAX} items.`);
  }
  const wanted: Wanted[] = [];
  for (const value of items as readonly JsonValue[]) {
    const item = readItem(value);
    if (item === undefined) {
      const form = `{"id", "quantity"}, the quantity a whole number of 1 to ${ITEM_QUANTITY_MAX}`;
      return refuse("cart_invalid", `Each of \`items\` must be ${form}.`);
    }
    if (wanted.some(({ id }) => id === item.id)) {
      return refuse("cart_invalid", "`items` names a product twice. Name it once, with its sum.");
    }
    wanted.push(item);
  }
  return ok(wanted);
}

/** Whether enough of a product can be sold now. */
function unsold({ availability, quantity, reserved }: Product, wanted: number) {
  if (availability === "out_of_stock") return "cart_invalid";
  if (quantity === null) return undefined;
  return quantity - reserved >= wanted ? undefined : "out_of_stock";
}

/**
 * Prices an order from the site's products, as they are in the transaction that asks. A quote is for
 * anybody: it does not tell how many there are.
 */
export async function priceOrder(
  db: Queries,
  siteKeyHash: string,
  args: JsonObject,
  purpose: "order" | "quote" = "order",
): Promise<Result<PricedOrder, PriceFault>> {
  const wanted = readItems(args);
  if (!wanted.ok) return wanted;
  const items: PricedItem[] = [];
  let total = 0n;
  let currency = "";
  for (const [place, { id, quantity }] of wanted.value.entries()) {
    const product = await productById(db, siteKeyHash, id);
    if (product === undefined) {
      return refuse("cart_invalid", `items.${place} (${id}): this site sells no such product.`);
    }
    const fault = unsold(product, purpose === "quote" ? 1 : quantity);
    if (fault === "cart_invalid") {
      return refuse(fault, `items.${place} (${id}): it cannot be ordered now.`);
    }
    if (fault !== undefined) {
      return refuse(fault, `items.${place} (${id}): there are not as many left.`);
    }
    if (currency !== "" && currency !== product.price.currency) {
      return refuse(
        "cart_invalid",
        "The items are sold in different currencies: order them apart.",
      );
    }
    currency = product.price.currency;
    total += BigInt(product.price.minor) * BigInt(quantity);
    items.push({ id, title: product.title, quantity, unit_minor: product.price.minor });
  }
  const minor = Number(total);
  if (!Number.isSafeInteger(minor)) return refuse("cart_invalid", "The sum is too large.");
  return ok({ amount: { currency, minor }, items });
}
