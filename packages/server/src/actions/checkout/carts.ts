import { type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Cart, cartMs } from "../../domain/checkouts/carts/cart.js";
import {
  cartById,
  endCart,
  insertCart,
  lockCart,
  replaceCart,
} from "../../domain/checkouts/carts/store.js";
import {
  type BuyingPlatform,
  isCreatedBy,
  type PlatformCaller,
  type WantedLine,
} from "../../domain/checkouts/platform.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import type { PricedLines } from "../../purchase/prices.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { type CartPrice, priceCart } from "./price-cart.js";

/** What a platform puts into a cart. */
export interface CartContent {
  readonly lines: readonly WantedLine[];
  readonly buyer: JsonObject;
  readonly context: JsonObject;
}

/** A cart at current prices, which are not binding. */
export interface PricedCart {
  readonly kind: "cart";
  readonly cart: Cart;
  readonly price: CartPrice;
}

/** Some lines cannot be bought, so nothing was stored. */
export interface UnavailableLines {
  readonly kind: "unavailable";
  readonly lines: readonly WantedLine[];
  readonly priced: PricedLines;
}

const isWhole = ({ lines }: PricedLines) => lines.every((line) => typeof line !== "string");

export async function createCart(
  context: Context,
  tx: Transaction,
  siteKeyHash: string,
  { platform, content }: { readonly platform: BuyingPlatform; readonly content: CartContent },
): Promise<PricedCart | UnavailableLines> {
  const { clock, ids } = context;
  const price = await priceCart(context, tx, siteKeyHash, content);
  const { priced } = price;
  if (!isWhole(priced)) return { kind: "unavailable", lines: content.lines, priced };
  const now = clock.now();
  const cart: Cart = {
    cartId: ids.id("cart"),
    pageId: ids.id("page"),
    siteKeyHash,
    platform,
    ...content,
    createdAt: now,
    expiresAt: now + cartMs(platform),
    cancelledAt: null,
  };
  await insertCart(tx, cart);
  return { kind: "cart", cart, price };
}

/** An open cart of the caller. Other callers do not find it. */
export async function openCart(
  { clock }: Context,
  db: Queries,
  { siteKeyHash, cartId, platform }: CartRef,
): Promise<Result<Cart, "not_found">> {
  const cart = await cartById(db, siteKeyHash, cartId);
  const isGone =
    cart === undefined ||
    !isCreatedBy(cart.platform, platform) ||
    cart.cancelledAt !== null ||
    cart.expiresAt <= clock.now();
  return isGone ? refuse("not_found", "There is no such cart.") : ok(cart);
}

/** A cart, and the caller that names it. */
export interface CartRef {
  readonly siteKeyHash: string;
  readonly cartId: string;
  readonly platform: PlatformCaller;
}

/** Shows a cart. The shop system is asked for its price if no recent one is known. */
export function showCart(context: Context, ref: CartRef): Promise<Result<PricedCart, "not_found">> {
  return withShopQuotes(context, () => readCart(context, context.db, ref));
}

async function readCart(
  context: Context,
  db: Queries,
  ref: CartRef,
): Promise<Result<PricedCart, "not_found">> {
  const cart = await openCart(context, db, ref);
  if (!cart.ok) return cart;
  const price = await priceCart(context, db, ref.siteKeyHash, cart.value);
  return ok({ kind: "cart", cart: cart.value, price });
}

/** Replaces the content of a cart, unless a line cannot be bought. */
export async function updateCart(
  context: Context,
  tx: Transaction,
  ref: CartRef,
  content: CartContent,
): Promise<Result<PricedCart | UnavailableLines, "not_found">> {
  await lockCart(tx, ref.cartId);
  const cart = await openCart(context, tx, ref);
  if (!cart.ok) return cart;
  const price = await priceCart(context, tx, ref.siteKeyHash, content);
  const { priced } = price;
  if (!isWhole(priced)) return ok({ kind: "unavailable", lines: content.lines, priced });
  const replaced = { ...cart.value, ...content };
  await replaceCart(tx, replaced);
  return ok({ kind: "cart", cart: replaced, price });
}

/** Cancels a cart, and shows its content once more. */
export async function cancelCart(
  context: Context,
  tx: Transaction,
  ref: CartRef,
): Promise<Result<PricedCart, "not_found">> {
  await lockCart(tx, ref.cartId);
  const cart = await readCart(context, tx, ref);
  if (!cart.ok) return cart;
  const cancelledAt = context.clock.now();
  await endCart(tx, ref.cartId, cancelledAt);
  return ok({ ...cart.value, cart: { ...cart.value.cart, cancelledAt } });
}
