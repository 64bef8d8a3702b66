import type { UcpTotals } from "@gatehouse/protocol";
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
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { destinationIn } from "../../purchase/buyer-place.js";
import { type PricedLines, priceLines } from "../../purchase/prices.js";
import { totalsOf } from "./totals.js";

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
  readonly priced: PricedLines;
  /** An estimate: with the taxes of the place that the buyer names, without shipping. */
  readonly totals: UcpTotals;
}

/** Some lines cannot be bought, so nothing was stored. */
export interface UnavailableLines {
  readonly kind: "unavailable";
  readonly lines: readonly WantedLine[];
  readonly priced: PricedLines;
}

async function estimate(db: Queries, cart: Cart, priced: PricedLines): Promise<PricedCart> {
  const destination = destinationIn(cart.context);
  const settings = await shopSettings(db, cart.siteKeyHash);
  const { subtotalMinor } = priced;
  const untaxed = { subtotalMinor, shippingMinor: null, taxMinor: 0, totalMinor: subtotalMinor };
  if (destination === undefined) return { kind: "cart", cart, priced, totals: untaxed };
  const totals = totalsOf(settings, subtotalMinor, { destination });
  // A sum that would not be exact is shown without taxes: nothing is bought at this price.
  return { kind: "cart", cart, priced, totals: totals.ok ? totals.value : untaxed };
}

const isWhole = ({ lines }: PricedLines) => lines.every((line) => typeof line !== "string");

export async function createCart(
  { clock, ids }: Context,
  tx: Transaction,
  siteKeyHash: string,
  { platform, content }: { readonly platform: BuyingPlatform; readonly content: CartContent },
): Promise<PricedCart | UnavailableLines> {
  const priced = await priceLines(tx, siteKeyHash, content.lines, "quote");
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
  return estimate(tx, cart, priced);
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

export async function showCart(
  context: Context,
  db: Queries,
  ref: CartRef,
): Promise<Result<PricedCart, "not_found">> {
  const cart = await openCart(context, db, ref);
  if (!cart.ok) return cart;
  const priced = await priceLines(db, ref.siteKeyHash, cart.value.lines, "quote");
  return ok(await estimate(db, cart.value, priced));
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
  const priced = await priceLines(tx, ref.siteKeyHash, content.lines, "quote");
  if (!isWhole(priced)) return ok({ kind: "unavailable", lines: content.lines, priced });
  const replaced = { ...cart.value, ...content };
  await replaceCart(tx, replaced);
  return ok(await estimate(tx, replaced, priced));
}

/** Cancels a cart, and shows its content once more. */
export async function cancelCart(
  context: Context,
  tx: Transaction,
  ref: CartRef,
): Promise<Result<PricedCart, "not_found">> {
  await lockCart(tx, ref.cartId);
  const cart = await showCart(context, tx, ref);
  if (!cart.ok) return cart;
  const cancelledAt = context.clock.now();
  await endCart(tx, ref.cartId, cancelledAt);
  return ok({ ...cart.value, cart: { ...cart.value.cart, cancelledAt } });
}
