import type { Context } from "../../context.js";
import { type Actor, actorDraft, serviceActor } from "../../domain/audit/drafts.js";
import { NO_BUYER } from "../../domain/buyers/address.js";
import { type ErasureRequest, openErasures } from "../../domain/buyers/store.js";
import { cartsOfBuyer, checkoutsOfBuyer } from "../../domain/checkouts/buyers/store.js";
import type { Cart } from "../../domain/checkouts/carts/cart.js";
import { cartById, lockCart } from "../../domain/checkouts/carts/store.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { checkoutById, lockCheckout } from "../../domain/checkouts/store.js";
import { lockOrder } from "../../domain/orders/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import {
  addErased,
  type Erased,
  eraseCart,
  eraseCheckout,
  eraseOrder,
  NOTHING_ERASED,
} from "./erase-purchase.js";
import { cartKept, checkoutKept, type Kept, orderState } from "./kept.js";

/** Purchases that one commit erases. */
const ERASED_AT_ONCE = 10;
const REQUESTS_AT_ONCE = 100;

/** Something that is still needed. */
interface KeptItem extends Kept {
  readonly kind: "order" | "checkout" | "cart";
  readonly id: string;
}

export interface ErasureReport {
  readonly erased: Erased;
  readonly kept: readonly KeptItem[];
}

type Step =
  | { readonly kind: "erased"; readonly erased: Erased }
  | { readonly kind: "kept"; readonly kept: KeptItem };

const ALREADY_ERASED: Step = { kind: "erased", erased: NOTHING_ERASED };

const eraseOne = async (erasing: Promise<Erased>): Promise<Step> => ({
  kind: "erased",
  erased: await erasing,
});

async function orderStep(
  context: Context,
  tx: Transaction,
  { siteKeyHash, orderId: id }: { readonly siteKeyHash: string; readonly orderId: string },
): Promise<Step> {
  const now = context.clock.now();
  const order = await lockOrder(tx, siteKeyHash, id);
  if (order === undefined) return ALREADY_ERASED;
  const whole = await wholeOrder(tx, order);
  const state = await orderState(tx, whole, now);
  if (state.kind === "needed") return { kind: "kept", kept: { kind: "order", id, ...state.kept } };
  return eraseOne(eraseOrder(context, tx, whole, now));
}

async function checkoutStep(context: Context, tx: Transaction, listed: Checkout): Promise<Step> {
  const { siteKeyHash, checkoutId: id } = listed;
  await lockCheckout(tx, id);
  const checkout = await checkoutById(tx, siteKeyHash, id);
  if (checkout === undefined) return ALREADY_ERASED;
  const { orderId } = checkout;
  if (orderId !== null) return orderStep(context, tx, { siteKeyHash, orderId });
  const kept = checkoutKept(checkout, context.clock.now());
  if (kept !== null) return { kind: "kept", kept: { kind: "checkout", id, ...kept } };
  return eraseOne(eraseCheckout(tx, checkout));
}

async function cartStep(context: Context, tx: Transaction, listed: Cart): Promise<Step> {
  const { siteKeyHash, cartId: id } = listed;
  await lockCart(tx, id);
  const cart = await cartById(tx, siteKeyHash, id);
  if (cart === undefined) return ALREADY_ERASED;
  const kept = cartKept(cart, context.clock.now());
  if (kept !== null) return { kind: "kept", kept: { kind: "cart", id, ...kept } };
  return eraseOne(eraseCart(tx, cart));
}

/** A kind of rows that hold a buyer. */
interface Source<Row> {
  list: (tx: Transaction, rows: Parameters<typeof checkoutsOfBuyer>[1]) => Promise<Row[]>;
  idOf: (row: Row) => string;
  step: (context: Context, tx: Transaction, row: Row) => Promise<Step>;
}

const CHECKOUTS: Source<Checkout> = {
  list: checkoutsOfBuyer,
  idOf: ({ checkoutId }) => checkoutId,
  step: checkoutStep,
};
const CARTS: Source<Cart> = {
  list: cartsOfBuyer,
  idOf: ({ cartId }) => cartId,
  step: cartStep,
};

/** Erases the rows of one kind in batches. What a batch erased is recorded with it. */
async function eraseRows<Row>(
  context: Context,
  { siteKeyHash, buyerMac, requestedAt: until }: ErasureRequest,
  actor: Actor,
  { list, idOf, step }: Source<Row>,
): Promise<ErasureReport> {
  let [after, erased] = ["", NOTHING_ERASED];
  const kept: KeptItem[] = [];
  for (;;) {
    const page = { siteKeyHash, buyerMac, until, after, limit: ERASED_AT_ONCE };
    const { answer: batch } = await context.audit.commit(siteKeyHash, async (tx) => {
      const rows = await list(tx, page);
      const steps: Step[] = [];
      for (const row of rows) steps.push(await step(context, tx, row));
      const sums = steps.map((one) => (one.kind === "erased" ? one.erased : NOTHING_ERASED));
      const sum = sums.reduce(addErased, NOTHING_ERASED);
      const last = rows.at(-1);
      const answer = {
        sum,
        kept: steps.flatMap((one) => (one.kind === "kept" ? [one.kept] : [])),
        next: rows.length < ERASED_AT_ONCE || last === undefined ? undefined : idOf(last),
      };
      const change = { kind: "buyer_erased", buyer: buyerMac, ...sum };
      const record = actorDraft("site.changed", actor, context.clock.now(), { change });
      const isErased = sum.orders + sum.checkouts + sum.carts > 0;
      return { records: isErased ? [record] : [], answer };
    });
    context.crashPoint("buyers.erased");
    erased = addErased(erased, batch.sum);
    kept.push(...batch.kept);
    if (batch.next === undefined) return { erased, kept };
    after = batch.next;
  }
}

/** Erases what a buyer bought until the request and nobody needs any more. */
export async function eraseRequested(
  context: Context,
  request: ErasureRequest,
  actor: Actor,
): Promise<ErasureReport> {
  if (request.buyerMac === NO_BUYER) return { erased: NOTHING_ERASED, kept: [] };
  const bought = await eraseRows(context, request, actor, CHECKOUTS);
  const carts = await eraseRows(context, request, actor, CARTS);
  return { erased: addErased(bought.erased, carts.erased), kept: [...bought.kept, ...carts.kept] };
}

/**
 * Goes on with all requests: orders have ended meanwhile, or a restore has brought data back. A request that
 * fails, such as one at a site with a frozen log, does not stop the others. Returns why requests failed.
 */
export async function eraseAllRequested(
  context: Context,
  stopping: () => boolean,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  let after = { siteKeyHash: "", buyerMac: "" };
  while (!stopping()) {
    const requests = await openErasures(context.db, after, REQUESTS_AT_ONCE);
    for (const request of requests) {
      if (stopping()) return failures;
      await eraseRequested(context, request, serviceActor("erasure")).catch((error: unknown) => {
        const { siteKeyHash: site, buyerMac: buyer } = request;
        context.log.error({ site, buyer, error }, "buyers.not_erased");
        failures.push(error);
      });
      after = request;
    }
    if (requests.length < REQUESTS_AT_ONCE) break;
  }
  return failures;
}
