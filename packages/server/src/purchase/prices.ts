import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  ok,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { LineFault } from "../domain/checkouts/checkout.js";
import type { WantedLine } from "../domain/checkouts/platform.js";
import type { OrderedItem } from "../domain/payments/payment.js";
import { PRODUCT_ID_CHARS_MAX, type Product } from "../domain/products/product.js";
import { UNSEEN } from "../domain/products/read-fields.js";
import { productsByIds, readOfProduct, type Wanted } from "../domain/products/store.js";
import { shopConnection } from "../domain/shop-connections/store.js";
import type { AnsweredQuote } from "../domain/shop-quotes/shop-quote.js";
import { shopSettings } from "../domain/shop-settings/store.js";
import type { ExpectedRead, Queries } from "../infra/db/database.js";
import { questionOf } from "./shop-question.js";
import { ShopUnanswered, shopQuote } from "./shop-quote.js";

export const LINES_MAX = 50;
export const LINE_QUANTITY_MAX = 1000;

/** A line at the current price. */
export interface PricedLine {
  readonly product: Product;
  readonly quantity: number;
  readonly amountMinor: number;
}

export interface PricedLines {
  /** In the order of the request, each with its price or with the reason why it has none. */
  readonly lines: readonly (PricedLine | LineFault)[];
  /** The currency of the priced lines; null if there are none. */
  readonly currency: string | null;
  readonly subtotalMinor: number;
}

interface PricedGoods extends PricedLines {
  /** The shop has to send them, and does so only to an address, which an order by mandate does not have. */
  readonly needAddress: boolean;
}

/** Whether enough of a product can be sold now. */
function stockFault(
  { availability, quantity, reserved }: Product,
  wanted: number,
): LineFault | undefined {
  if (availability === "out_of_stock") return "unavailable";
  if (quantity === null) return undefined;
  return quantity - reserved >= wanted ? undefined : "out_of_stock";
}

/** Undefined if the sum is not exact as a number. */
function exactNumber(sum: bigint): number | undefined {
  const number = Number(sum);
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Prices lines from the site's products, as the transaction sees them, for every protocol. Anybody can ask for
 * a quote, so a quote does not reveal how many are in stock. `agentId` is the agent that buys, once it has proven who it is.
 */
export async function priceLines(
  db: Queries,
  siteKeyHash: string,
  wanted: readonly WantedLine[],
  purpose: "order" | "quote",
  agentId: string | null = null,
): Promise<PricedLines> {
  const taken = new Map<string, number>();
  let currency: string | null = null;
  let subtotal = 0n;
  const lines: (PricedLine | LineFault)[] = [];
  const ids = wanted.map(({ productId }) => productId);
  const products = await productsByIds(db, siteKeyHash, ids, agentId);
  for (const { productId, quantity } of wanted) {
    const product = products.get(productId);
    if (product === undefined) {
      lines.push("not_found");
      continue;
    }
    const all = (taken.get(productId) ?? 0) + quantity;
    if (quantity > LINE_QUANTITY_MAX) {
      lines.push("too_many");
      continue;
    }
    const { price } = product;
    const amountMinor = exactNumber(BigInt(price.minor) * BigInt(quantity));
    const fault = stockFault(product, purpose === "quote" ? 1 : all);
    if (fault !== undefined) {
      lines.push(fault);
    } else if (currency !== null && currency !== price.currency) {
      lines.push("other_currency");
    } else if (
      amountMinor === undefined ||
      exactNumber(subtotal + BigInt(amountMinor)) === undefined
    ) {
      lines.push("too_large");
    } else {
      currency = price.currency;
      subtotal += BigInt(amountMinor);
      taken.set(productId, all);
      lines.push({ product, quantity, amountMinor });
    }
  }
  return { lines, currency, subtotalMinor: Number(subtotal) };
}

function atPrice(line: PricedLine | LineFault, unit: number | LineFault | undefined) {
  if (typeof line === "string" || typeof unit !== "number") return unit as LineFault;
  const product = { ...line.product, price: { ...line.product.price, minor: unit } };
  return { product, quantity: line.quantity, amountMinor: unit * line.quantity };
}

/** Lines at the prices of the shop system, which may differ from the list of products. */
export function atShopPrices({ lines, currency }: PricedLines, quote: AnsweredQuote): PricedLines {
  const answered = lines.map((line, i) => atPrice(line, quote.lines[i]));
  const goods = answered.map((line) => (typeof line === "string" ? 0 : line.amountMinor));
  return { lines: answered, currency, subtotalMinor: goods.reduce((sum, one) => sum + one, 0) };
}

/** The shop system does not know the items of tests. */
const isTestItem = (line: PricedLine | LineFault) =>
  typeof line !== "string" && line.product.testAgentId !== null;

interface WantedGoods {
  readonly lines: readonly WantedLine[];
  readonly purpose: "order" | "quote";
  readonly agentId?: string | null;
}

/**
 * Prices goods that are ordered without an address. For a site with a shop system that system does, and the sum has
 * the taxes that it adds.
 */
export async function priceGoods(
  tools: Pick<Context, "clock">,
  db: Queries,
  siteKeyHash: string,
  { lines: wanted, purpose, agentId = null }: WantedGoods,
): Promise<Result<PricedGoods, "unanswered">> {
  const lines = await priceLines(db, siteKeyHash, wanted, purpose, agentId);
  const priced = { ...lines, needAddress: false };
  const { currency } = priced;
  if (currency === null || priced.lines.some((line) => typeof line === "string")) return ok(priced);
  if (priced.lines.some(isTestItem)) return ok(priced);
  if ((await shopConnection(db, siteKeyHash)) === undefined) return ok(priced);
  const question = questionOf({ siteKeyHash, currency, lines: wanted, content: null });
  const { answer: shop } = await shopQuote(tools, db, question, purpose);
  if (shop.kind === "unanswered") return refuse("unanswered", "The shop system does not answer.");
  const { lines: answered } = atShopPrices(priced, shop);
  const { ordersWithoutAddress } = await shopSettings(db, siteKeyHash);
  const needAddress = shop.ships && !ordersWithoutAddress;
  return ok({ lines: answered, currency, subtotalMinor: shop.totalMinor, needAddress });
}

export interface PricedOrder {
  readonly amount: Money;
  readonly items: readonly OrderedItem[];
}

export type PriceFault = "cart_invalid" | "out_of_stock";

function readItem(value: JsonValue): Wanted | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, quantity, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof id !== "string" || id === "" || id.length > PRODUCT_ID_CHARS_MAX) return undefined;
  // No product has such an id, and not every database accepts it in a query.
  if (UNSEEN.test(id)) return undefined;
  const counted = typeof quantity === "number" && Number.isInteger(quantity);
  if (!counted || quantity < 1 || quantity > LINE_QUANTITY_MAX) return undefined;
  return { id, quantity };
}

/** Reads the `items` of an order, with each product at most once. */
function readItems(args: JsonObject): Result<readonly Wanted[], "cart_invalid"> {
  const { items: list, ...others } = args;
  if (Object.keys(others).length > 0) {
    return refuse("cart_invalid", "The only argument is `items`.");
  }
  if (!Array.isArray(list) || list.length === 0 || list.length > LINES_MAX) {
    return refuse("cart_invalid", `\`items\` must be a list of 1 to ${LINES_MAX} items.`);
  }
  const items: Wanted[] = [];
  for (const value of list as readonly JsonValue[]) {
    const item = readItem(value);
    if (item === undefined) {
      const form = `{"id", "quantity"}, with a whole number from 1 to ${LINE_QUANTITY_MAX} as quantity`;
      return refuse("cart_invalid", `Each entry of \`items\` must be ${form}.`);
    }
    if (items.some(({ id }) => id === item.id)) {
      return refuse(
        "cart_invalid",
        "`items` has the same product twice. Send it once, with the total quantity.",
      );
    }
    items.push(item);
  }
  return ok(items);
}

/** The products that an order will be priced with, to be held for it. */
export function readsOfOrder(siteKeyHash: string, args: JsonObject): readonly ExpectedRead[] {
  const items = readItems(args);
  return items.ok ? items.value.map(({ id }) => readOfProduct(siteKeyHash, id)) : [];
}

const FAULTS: Readonly<Record<LineFault, readonly [PriceFault, string]>> = {
  not_found: ["cart_invalid", "this site does not sell this product."],
  unavailable: ["cart_invalid", "it cannot be ordered now."],
  out_of_stock: ["out_of_stock", "not enough stock."],
  other_currency: ["cart_invalid", "it has a different currency. Order it separately."],
  too_large: ["cart_invalid", "the total is too large."],
  too_many: ["cart_invalid", `the quantity can be at most ${LINE_QUANTITY_MAX}.`],
};

const NEEDS_ADDRESS = refuse(
  "cart_invalid",
  "These goods must be sent, and this order has no address. Buy them by UCP: call `create_checkout`, enter the address there, and complete it.",
);

/** Prices the arguments of an order, and refuses it if a line has no price. */
export async function priceOrder(
  tools: Pick<Context, "clock">,
  db: Queries,
  siteKeyHash: string,
  { args, ...how }: Omit<WantedGoods, "lines"> & { readonly args: JsonObject },
): Promise<Result<PricedOrder, PriceFault>> {
  const requested = readItems(args);
  if (!requested.ok) return requested;
  const lines = requested.value.map(({ id: productId, quantity }) => ({ productId, quantity }));
  const goods = await priceGoods(tools, db, siteKeyHash, { lines, ...how });
  if (!goods.ok) throw new ShopUnanswered();
  const priced = goods.value;
  const items: OrderedItem[] = [];
  for (const [place, line] of priced.lines.entries()) {
    if (typeof line === "string") {
      const [reason, why] = FAULTS[line];
      return refuse(reason, `items.${place} (${requested.value[place]?.id}): ${why}`);
    }
    const { product, quantity } = line;
    const { productId: id, title, price } = product;
    items.push({ id, title, quantity, unit_minor: price.minor });
  }
  const { currency, subtotalMinor: minor, needAddress } = priced;
  if (needAddress) return NEEDS_ADDRESS;
  return ok({ amount: { currency: currency as string, minor }, items });
}
