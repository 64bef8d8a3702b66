import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  ok,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import type { LineFault } from "../../domain/checkouts/checkout.js";
import { PRODUCT_ID_CHARS_MAX, UNSEEN } from "../../domain/products/product.js";
import type { Wanted } from "../../domain/products/store.js";
import type { Queries } from "../../infra/db/database.js";
import { LINE_QUANTITY_MAX, LINES_MAX, priceLines } from "../checkout/price-lines.js";

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
  if (!counted || quantity < 1 || quantity > LINE_QUANTITY_MAX) return undefined;
  return { id, quantity };
}

/** The `items` of an order: each product once, in whole pieces. */
function readItems(args: JsonObject): Result<readonly Wanted[], "cart_invalid"> {
  const { items, ...others } = args;
  if (Object.keys(others).length > 0) {
    return refuse("cart_invalid", "There is no argument but `items`.");
  }
  if (!Array.isArray(items) || items.length === 0 || items.length > LINES_MAX) {
    return refuse("cart_invalid", `\`items\` must be a list of 1 to ${LINES_MAX} items.`);
  }
  const wanted: Wanted[] = [];
  for (const value of items as readonly JsonValue[]) {
    const item = readItem(value);
    if (item === undefined) {
      const form = `{"id", "quantity"}, the quantity a whole number of 1 to ${LINE_QUANTITY_MAX}`;
      return refuse("cart_invalid", `Each of \`items\` must be ${form}.`);
    }
    if (wanted.some(({ id }) => id === item.id)) {
      return refuse("cart_invalid", "`items` names a product twice. Name it once, with its sum.");
    }
    wanted.push(item);
  }
  return ok(wanted);
}

const FAULTS: Readonly<Record<LineFault, readonly [PriceFault, string]>> = {
  not_found: ["cart_invalid", "this site sells no such product."],
  unavailable: ["cart_invalid", "it cannot be ordered now."],
  out_of_stock: ["out_of_stock", "there are not as many left."],
  other_currency: ["cart_invalid", "it is sold in another currency: order it apart."],
  too_large: ["cart_invalid", "the sum is too large."],
  too_many: ["cart_invalid", `a line can hold at most ${LINE_QUANTITY_MAX}.`],
};

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
  const lines = wanted.value.map(({ id: productId, quantity }) => ({ productId, quantity }));
  const priced = await priceLines(db, siteKeyHash, lines, purpose);
  const items: PricedItem[] = [];
  for (const [place, line] of priced.lines.entries()) {
    if (typeof line === "string") {
      const [reason, why] = FAULTS[line];
      return refuse(reason, `items.${place} (${wanted.value[place]?.id}): ${why}`);
    }
    const { product, quantity } = line;
    const { productId: id, title, price } = product;
    items.push({ id, title, quantity, unit_minor: price.minor });
  }
  const { currency, subtotalMinor: minor } = priced;
  return ok({ amount: { currency: currency as string, minor }, items });
}

/** What is bought, as records say it: never a text of the owner's. */
export function recordedItems(items: readonly PricedItem[]) {
  return items.map(({ id, quantity, unit_minor }) => ({ id, quantity, unit_minor }));
}
