import type { Money } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { buyerMacOf } from "../../domain/buyers/address.js";
import { erasureRequestedAt } from "../../domain/buyers/store.js";
import { cartsOfBuyer, checkoutsOfBuyer } from "../../domain/checkouts/buyers/store.js";
import type { Cart } from "../../domain/checkouts/carts/cart.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { orderById } from "../../domain/orders/store.js";
import type { Queries } from "../../infra/db/database.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import { cartKept, checkoutKept, type Kept, orderState } from "./kept.js";
import { readNewBuyers } from "./read-buyers.js";

/** Purchases of one buyer that are shown or exported. Far above what a person buys in one shop. */
export const PURCHASES_MAX = 1000;

/** What is stored about a buyer. */
export interface StoredBuyer {
  readonly buyerMac: string;
  readonly checkouts: readonly Checkout[];
  readonly carts: readonly Cart[];
  /** False if there is more. */
  readonly isComplete: boolean;
}

/** Everything that is stored under a mail address. */
export async function storedBuyer(
  context: Context,
  siteKeyHash: string,
  email: string,
): Promise<StoredBuyer> {
  await readNewBuyers(context);
  const buyerMac = buyerMacOf(context.secrets, siteKeyHash, email);
  const until = context.clock.now();
  const rows = { siteKeyHash, buyerMac, until, after: "", limit: PURCHASES_MAX + 1 };
  const checkouts = await checkoutsOfBuyer(context.db, rows);
  const carts = await cartsOfBuyer(context.db, rows);
  return {
    buyerMac,
    checkouts: checkouts.slice(0, PURCHASES_MAX),
    carts: carts.slice(0, PURCHASES_MAX),
    isComplete: Math.max(checkouts.length, carts.length) <= PURCHASES_MAX,
  };
}

/** A purchase of a buyer, and why it is still needed. */
interface FoundItem {
  readonly kind: "order" | "checkout" | "cart";
  readonly id: string;
  readonly createdAt: number;
  /** The number of an order, as people call it. */
  readonly number: number | null;
  /** Of an order. */
  readonly amount: Money | null;
  /** Null if it has ended, so that it can be erased. */
  readonly kept: Kept | null;
  /** Whether an erasure was requested after it was made, so that it is erased when it has ended. */
  readonly isErasing: boolean;
}

interface FoundBuyer {
  readonly items: readonly FoundItem[];
  readonly isComplete: boolean;
  /** When an erasure was last requested; null if it never was. */
  readonly erasureRequestedAt: number | null;
}

type FoundPurchase = Omit<FoundItem, "isErasing">;

async function foundCheckout(db: Queries, checkout: Checkout, now: number): Promise<FoundPurchase> {
  const { siteKeyHash, checkoutId: id, orderId, createdAt } = checkout;
  const order = orderId === null ? undefined : await orderById(db, siteKeyHash, orderId);
  if (order === undefined) {
    const kept = checkoutKept(checkout, now);
    return { kind: "checkout", id, createdAt, number: null, amount: null, kept };
  }
  const state = await orderState(db, await wholeOrder(db, order), now);
  const kept = state.kind === "needed" ? state.kept : null;
  const { orderId: ordered, number, amount } = order;
  return { kind: "order", id: ordered, createdAt: order.createdAt, number, amount, kept };
}

/** What is stored under a mail address, and what of it an erasure would leave. Newest first. */
export async function findBuyer(
  context: Context,
  siteKeyHash: string,
  email: string,
): Promise<FoundBuyer> {
  const { clock, db } = context;
  const { buyerMac, checkouts, carts, isComplete } = await storedBuyer(context, siteKeyHash, email);
  const now = clock.now();
  const requestedAt = (await erasureRequestedAt(db, siteKeyHash, buyerMac)) ?? null;
  const isErasing = ({ createdAt }: Checkout | Cart) =>
    requestedAt !== null && createdAt <= requestedAt;
  const items: FoundItem[] = [];
  for (const checkout of checkouts) {
    const purchase = await foundCheckout(db, checkout, now);
    items.push({ ...purchase, isErasing: isErasing(checkout) });
  }
  for (const cart of carts) {
    const { cartId: id, createdAt } = cart;
    const kept = cartKept(cart, now);
    const rest = { number: null, amount: null, kept, isErasing: isErasing(cart) };
    items.push({ kind: "cart", id, createdAt, ...rest });
  }
  items.sort((a, b) => b.createdAt - a.createdAt);
  return { items, isComplete, erasureRequestedAt: requestedAt };
}
