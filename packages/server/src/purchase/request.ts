import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  ok,
  type PaymentHandler,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import type { Agent } from "../domain/agents/agent.js";
import type { Checkout, LineFault } from "../domain/checkouts/checkout.js";
import type { WantedLine } from "../domain/checkouts/platform.js";
import type { PaymentCaller } from "../domain/declines/caller.js";
import type { OrderedItem } from "../domain/payments/payment.js";
import { PRODUCT_ID_CHARS_MAX, type Product, UNSEEN } from "../domain/products/product.js";
import { productsByIds, readOfProduct, type Wanted } from "../domain/products/store.js";
import type { Site } from "../domain/sites/site.js";
import type { ExpectedRead, Queries } from "../infra/db/database.js";
import type { Identity } from "./identity.js";

/** A request for a skill or a purchase, by any protocol. Only `commit` turns it into a decision. */
export interface PurchaseRequest {
  /**
   * `mandate`: an agent signed it. `checkout`: a platform completes a checkout. `order_approval`: the payment
   * provider asks about an order of its own checkout.
   */
  readonly kind: "mandate" | "checkout" | "order_approval";
  readonly site: Site;
  /** The agent or platform, as rules see it. */
  readonly agent: Agent;
  readonly identity: Identity;
  /** The id of the request: a mandate, a checkout with the number of its try, or a provider's order. */
  readonly mandateId: string;
  /** The digest of what was signed, or shown to the buyer. */
  readonly digest: string;
  /** The key that signed a mandate; null for other requests. */
  readonly kid: string | null;
  readonly skill: string;
  readonly protocol: string;
  readonly amount: Money | null;
  readonly items?: readonly OrderedItem[] | undefined;
  /** Undefined if nothing is paid here. */
  readonly payment?: PurchasePayment | undefined;
  /** The checkout that is paid for, with this try counted. */
  readonly checkout?: Checkout | undefined;
  /** Who asked for what: members of the records of the decision and of its payment. */
  readonly recordedRequest: JsonObject;
  /** More members of the decision's record. */
  readonly recordedDetails?: JsonObject | undefined;
  readonly now: number;
}

export interface PurchasePayment {
  readonly provider: PaymentHandler;
  /** Null if the buyer pays on the provider's own page. */
  readonly token: string | null;
  /** Where the buyer returns from the card's bank; null if there is no buyer to send there. */
  readonly returnUrl: string | null;
  /** A declined payment counts against this caller. */
  readonly caller: PaymentCaller;
}

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
 * a quote, so a quote does not reveal how many are in stock.
 */
export async function priceLines(
  db: Queries,
  siteKeyHash: string,
  wanted: readonly WantedLine[],
  purpose: "order" | "quote",
): Promise<PricedLines> {
  const taken = new Map<string, number>();
  let currency: string | null = null;
  let subtotal = 0n;
  const lines: (PricedLine | LineFault)[] = [];
  const ids = wanted.map(({ productId }) => productId);
  const products = await productsByIds(db, siteKeyHash, ids);
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

/** Prices the arguments of an order like `priceLines`, and refuses it if a line has no price. */
export async function priceOrder(
  db: Queries,
  siteKeyHash: string,
  args: JsonObject,
  purpose: "order" | "quote" = "order",
): Promise<Result<PricedOrder, PriceFault>> {
  const requested = readItems(args);
  if (!requested.ok) return requested;
  const lines = requested.value.map(({ id: productId, quantity }) => ({ productId, quantity }));
  const priced = await priceLines(db, siteKeyHash, lines, purpose);
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
  const { currency, subtotalMinor: minor } = priced;
  return ok({ amount: { currency: currency as string, minor }, items });
}

/** The items as records show them, without the owner's texts. */
export function recordedItems(items: readonly OrderedItem[]) {
  return items.map(({ id, quantity, unit_minor }) => ({ id, quantity, unit_minor }));
}
