import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { lockCart } from "../../domain/checkouts/carts/store.js";
import {
  type Address,
  type Checkout,
  type CheckoutContent,
  checkoutMs,
  type Delivery,
  type Quote,
} from "../../domain/checkouts/checkout.js";
import { type BuyingPlatform, isOwn } from "../../domain/checkouts/platform.js";
import {
  checkoutById,
  checkoutOfCart,
  insertCheckout,
  lockCheckout,
  writeCheckout,
} from "../../domain/checkouts/store.js";
import { noteSeen } from "../../domain/platforms/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { reconcilePaymentNow } from "../../purchase/hasten-payment.js";
import { openCart } from "./carts.js";
import { invalidateReview } from "./escalated.js";
import { isSameQuote, quoteFor } from "./quote.js";

/** A checkout, and who asks for it. */
export interface CheckoutPlace {
  readonly siteKeyHash: string;
  readonly checkoutId: string;
  readonly platform: BuyingPlatform;
}

/** A checkout after what was asked, and whether that was done. */
export interface Changed {
  readonly checkout: Checkout;
  /** Why it is as it was. */
  readonly refusal?: "completing" | "completed" | "cancelled" | undefined;
  readonly records: readonly RecordDraft[];
}

/** Something was there that cannot be bought: nothing was made. */
export interface NoCheckout {
  readonly content: CheckoutContent;
  readonly quote: Quote;
}

/** How it is to be sent, as a request says it: null for addresses that were said before. */
export interface SaidDelivery extends Omit<Delivery, "addresses"> {
  readonly addresses: readonly Address[] | null;
}

interface SaidContent extends Omit<CheckoutContent, "delivery"> {
  readonly delivery: SaidDelivery;
}

const isWhole = ({ lines }: Quote) => lines.every((line) => typeof line !== "string");

/** One of the caller's own. Whoever else asks is told that there is none. */
export async function ownCheckout(
  db: Queries,
  { siteKeyHash, checkoutId, platform }: CheckoutPlace,
): Promise<Result<Checkout, "not_found">> {
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  const own = checkout !== undefined && isOwn(checkout.platform, platform);
  return own ? ok(checkout) : refuse("not_found", "There is no such checkout.");
}

/**
 * Made without a signature, and touched with one, it answers to signed calls from then on: nobody
 * who only knows its id changes what its platform has looked at.
 */
export function takenOver(checkout: Checkout, caller: BuyingPlatform): Checkout {
  const { platform } = checkout;
  const { signed, webhookUrl } = caller;
  // Where it hears of the order is what its profile says last.
  if ((platform.signed || !signed) && platform.webhookUrl === webhookUrl) return checkout;
  const holder = !platform.signed && signed ? caller.holder : platform.holder;
  const owned = { ...platform, signed: platform.signed || signed, webhookUrl, holder };
  return { ...checkout, platform: owned };
}

/** Why nothing about a checkout can be changed; undefined where it can. */
export function refusalOf({ clock }: Context, { status, expiresAt }: Checkout): Changed["refusal"] {
  if (status === "open") return clock.now() < expiresAt ? undefined : "cancelled";
  return status;
}

interface NewCheckout {
  readonly platform: BuyingPlatform;
  readonly content: CheckoutContent;
  /** The cart it is made of: what is in it stands, whatever else is said. */
  readonly cartId: string | null;
}

export async function createCheckout(
  context: Context,
  tx: Transaction,
  siteKeyHash: string,
  { platform, content: said, cartId }: NewCheckout,
): Promise<Result<Changed | NoCheckout, "not_found">> {
  const { clock, ids } = context;
  const now = clock.now();
  let content = said;
  if (cartId !== null) {
    await lockCart(tx, cartId);
    const cart = await openCart(context, tx, { siteKeyHash, cartId, platform });
    if (!cart.ok) return cart;
    const before = await checkoutOfCart(tx, siteKeyHash, cartId, now);
    if (before !== undefined) {
      // A cart may be anybody's who knows it; what was proven is shown to whoever proved it.
      if (!isOwn(before.platform, platform)) return refuse("not_found", "There is no such cart.");
      return ok({ checkout: before, records: [] });
    }
    const { lines, buyer, context: where } = cart.value;
    // What is in the cart stands; what it lacks is taken from the request.
    const people = { buyer: { ...said.buyer, ...buyer }, context: { ...said.context, ...where } };
    content = { ...said, lines, ...people };
  }
  const quote = await quoteFor(tx, siteKeyHash, content, "quote");
  if (!isWhole(quote)) return ok({ content, quote });
  const checkout: Checkout = {
    checkoutId: ids.id("chk"),
    pageId: ids.id("page"),
    siteKeyHash,
    platform,
    cartId,
    policies: [],
    status: "open",
    content,
    quote,
    problem: null,
    tries: 0,
    decisionId: null,
    orderId: null,
    createdAt: now,
    expiresAt: now + checkoutMs(platform),
  };
  await insertCheckout(tx, checkout);
  await noteSeen(tx, siteKeyHash, platform, now);
  return ok({ checkout, records: [] });
}

/** What it is now: where prices or stock have moved, that is shown, and kept as what was shown. */
export async function showCheckout(
  context: Context,
  place: CheckoutPlace,
): Promise<Result<Checkout, "not_found">> {
  const { db } = context;
  const found = await ownCheckout(db, place);
  if (!found.ok || refusalOf(context, found.value) !== undefined) return found;
  const quote = await quoteAnew(db, found.value);
  const owned = takenOver(found.value, place.platform) === found.value;
  if (owned && isSameQuote(quote, found.value.quote)) return found;
  return db.transaction(async (tx) => {
    await lockCheckout(tx, place.checkoutId);
    const checkout = await ownCheckout(tx, place);
    if (!checkout.ok || refusalOf(context, checkout.value) !== undefined) return checkout;
    const own = takenOver(checkout.value, place.platform);
    const shown = { ...own, quote: await quoteAnew(tx, own) };
    await writeCheckout(tx, shown);
    return ok(shown);
  });
}

/** A line that was found sold out is looked at as an order would; others tell no stock. */
function quoteAnew(db: Queries, { siteKeyHash, content, quote }: Checkout): Promise<Quote> {
  const purpose = quote.lines.includes("out_of_stock") ? "order" : "quote";
  return quoteFor(db, siteKeyHash, content, purpose);
}

/**
 * One of the caller's own, held until the transaction ends, and why it cannot be changed. What a person
 * was to look at is not that any more, whatever becomes of the change.
 */
async function heldForChange(
  context: Context,
  tx: Transaction,
  place: CheckoutPlace,
): Promise<Result<Changed, "not_found">> {
  await lockCheckout(tx, place.checkoutId);
  const found = await ownCheckout(tx, place);
  if (!found.ok) return found;
  const { records, checkout } = await invalidateReview(context, tx, found.value, place.platform);
  return ok({ checkout, refusal: refusalOf(context, checkout), records });
}

/** Replaces all that is said of a purchase. What a person was to look at is not that any more. */
export async function updateCheckout(
  context: Context,
  tx: Transaction,
  place: CheckoutPlace,
  said: SaidContent,
): Promise<Result<Changed, "not_found">> {
  const held = await heldForChange(context, tx, place);
  if (!held.ok) return held;
  const { checkout, refusal, records } = held.value;
  if (refusal !== undefined) return held;
  const { addresses } = checkout.content.delivery;
  const delivery = { ...said.delivery, addresses: said.delivery.addresses ?? addresses };
  const content = { ...said, delivery };
  const quote = await quoteFor(tx, place.siteKeyHash, content, "quote");
  // What was refused for good stays so: whoever wants something else makes another.
  const problem = checkout.problem?.final ? checkout.problem : null;
  const own = takenOver(checkout, place.platform);
  const updated: Checkout = { ...own, content, quote, problem };
  await writeCheckout(tx, updated);
  return ok({ checkout: updated, records });
}

/** Gives a checkout up. A payment under way then comes to no order, and is released. */
export async function cancelCheckout(
  context: Context,
  tx: Transaction,
  place: CheckoutPlace,
): Promise<Result<Changed, "not_found">> {
  const held = await heldForChange(context, tx, place);
  if (!held.ok) return held;
  const { checkout, refusal, records } = held.value;
  if (refusal === "completed" || refusal === "cancelled") return held;
  const cancelled: Checkout = { ...checkout, status: "cancelled", problem: null };
  await writeCheckout(tx, cancelled);
  const { decisionId } = checkout;
  if (decisionId !== null) await reconcilePaymentNow(tx, decisionId, context.clock.now());
  return ok({ checkout: cancelled, records });
}
