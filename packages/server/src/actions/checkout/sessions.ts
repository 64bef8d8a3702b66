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
import { type BuyingPlatform, isCreatedBy, isProven } from "../../domain/checkouts/platform.js";
import {
  checkoutById,
  checkoutOfCart,
  insertCheckout,
  lockCheckout,
  writeCheckout,
} from "../../domain/checkouts/store.js";
import { noteSeen } from "../../domain/platforms/store.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { reconcilePaymentNow } from "../../purchase/reconcile.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { openCart } from "./carts.js";
import { invalidateReview } from "./progress.js";
import { isSameQuote, quoteFor } from "./quote.js";
import { storeReadTerms, type TermsSigner } from "./terms.js";

/** A checkout, and the caller that names it. */
export interface CheckoutRef {
  readonly siteKeyHash: string;
  readonly checkoutId: string;
  readonly platform: BuyingPlatform;
}

/** A checkout after a request to change it. */
export interface Changed {
  readonly checkout: Checkout;
  /** Why it was not changed. */
  readonly refusal?: "completing" | "completed" | "cancelled" | undefined;
  readonly records: readonly RecordDraft[];
}

export type CreatedCheckout =
  | { readonly kind: "created"; readonly checkout: Checkout }
  /** The cart already has an open checkout, which is not changed. */
  | { readonly kind: "existing"; readonly checkout: Checkout }
  /** Some lines cannot be bought, so nothing was stored. */
  | { readonly kind: "unavailable"; readonly content: CheckoutContent; readonly quote: Quote };

/** The delivery of a request. `addresses` is null if those of an earlier request stay. */
export interface RequestedDelivery extends Omit<Delivery, "addresses"> {
  readonly addresses: readonly Address[] | null;
}

interface RequestedContent extends Omit<CheckoutContent, "delivery" | "codes"> {
  readonly delivery: RequestedDelivery;
  /** Null if those of an earlier request stay. */
  readonly codes: readonly string[] | null;
}

/** Discount codes as a checkout stores them. Only a shop system knows any. */
async function storedCodes(db: Queries, siteKeyHash: string, codes: readonly string[]) {
  if (codes.length === 0 || (await shopConnection(db, siteKeyHash)) === undefined) return {};
  return { codes };
}

const isWhole = ({ lines }: Quote) => lines.every((line) => typeof line !== "string");

/** A checkout of the caller. Other callers do not find it. */
export async function ownCheckout(
  db: Queries,
  { siteKeyHash, checkoutId, platform }: CheckoutRef,
): Promise<Result<Checkout, "not_found">> {
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  const isTheirs = checkout !== undefined && isCreatedBy(checkout.platform, platform);
  return isTheirs ? ok(checkout) : refuse("not_found", "There is no such checkout.");
}

/**
 * A checkout that was made without proof belongs to the first kind of proof that its platform sends: nobody
 * who only knows its id changes what its platform has looked at.
 */
export function takenOver(checkout: Checkout, caller: BuyingPlatform): Checkout {
  const { platform } = checkout;
  const { webhookUrl, version } = caller;
  // Its latest profile says where it is notified of the order, and in which version.
  const hasCurrentProfile = platform.webhookUrl === webhookUrl && platform.version === version;
  const isTaken = !isProven(platform) && isProven(caller);
  if (!isTaken && hasCurrentProfile) return checkout;
  const { proof, holder } = isTaken ? caller : platform;
  return { ...checkout, platform: { ...platform, proof, webhookUrl, version, holder } };
}

/** Why a checkout cannot be changed; undefined if it can. */
export function refusalOf({ clock }: Context, { status, expiresAt }: Checkout): Changed["refusal"] {
  if (status === "open") return clock.now() < expiresAt ? undefined : "cancelled";
  return status;
}

interface NewCheckout {
  readonly platform: BuyingPlatform;
  readonly content: CheckoutContent;
  /** The cart it is made from. What is in the cart counts more than what the request says. */
  readonly cartId: string | null;
}

export async function createCheckout(
  context: Context,
  tx: Transaction,
  siteKeyHash: string,
  { platform, content: requested, cartId }: NewCheckout,
): Promise<Result<CreatedCheckout, "not_found">> {
  const { clock, ids } = context;
  const now = clock.now();
  const { codes = [], ...wanted } = requested;
  let content: CheckoutContent = { ...wanted, ...(await storedCodes(tx, siteKeyHash, codes)) };
  if (cartId !== null) {
    await lockCart(tx, cartId);
    const cart = await openCart(context, tx, { siteKeyHash, cartId, platform });
    if (!cart.ok) return cart;
    const before = await checkoutOfCart(tx, siteKeyHash, cartId, now);
    if (before !== undefined) {
      // Anybody who knows an unsigned cart can use it; a proven checkout is shown to its platform only.
      if (!isCreatedBy(before.platform, platform))
        return refuse("not_found", "There is no such cart.");
      return ok({ kind: "existing", checkout: before });
    }
    const { lines, buyer, context: where } = cart.value;
    // What the cart lacks is taken from the request.
    content = {
      ...content,
      lines,
      buyer: { ...requested.buyer, ...buyer },
      context: { ...requested.context, ...where },
    };
  }
  const quote = await quoteFor(context, tx, siteKeyHash, content, "quote");
  if (!isWhole(quote)) return ok({ kind: "unavailable", content, quote });
  const checkout: Checkout = {
    checkoutId: ids.id("chk"),
    pageId: ids.id("page"),
    browserMac: null,
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
  if (isProven(platform)) await noteSeen(tx, siteKeyHash, platform.url, now);
  return ok({ kind: "created", checkout });
}

/** A checkout at current prices and terms, which are stored as shown. */
export async function showCheckout(
  context: Context,
  ref: CheckoutRef,
  shop: TermsSigner,
): Promise<Result<Checkout, "not_found">> {
  const checkout = await withShopQuotes(context, () => quoteCheckout(context, ref));
  if (checkout.ok) await storeReadTerms(context, shop, checkout.value);
  return checkout;
}

/** If prices or stock have changed, the new quote is stored. */
async function quoteCheckout(
  context: Context,
  ref: CheckoutRef,
): Promise<Result<Checkout, "not_found">> {
  const { db } = context;
  const stored = await ownCheckout(db, ref);
  if (!stored.ok || refusalOf(context, stored.value) !== undefined) return stored;
  const quote = await quoteAgain(context, db, stored.value);
  const isOwned = takenOver(stored.value, ref.platform) === stored.value;
  // Prices that were only confirmed are shown with their new time, and not written.
  if (isOwned && isSameQuote(quote, stored.value.quote)) return ok({ ...stored.value, quote });
  return db.shortTransaction(async (tx) => {
    await lockCheckout(tx, ref.checkoutId);
    const checkout = await ownCheckout(tx, ref);
    if (!checkout.ok || refusalOf(context, checkout.value) !== undefined) return checkout;
    const own = takenOver(checkout.value, ref.platform);
    const shown = { ...own, quote: await quoteAgain(context, tx, own) };
    await writeCheckout(tx, shown);
    return ok(shown);
  });
}

/** A line that was sold out is checked against the stock again; other lines do not reveal it. */
function quoteAgain(
  context: Context,
  db: Queries,
  { siteKeyHash, content, quote }: Checkout,
): Promise<Quote> {
  const purpose = quote.lines.includes("out_of_stock") ? "order" : "quote";
  return quoteFor(context, db, siteKeyHash, content, purpose);
}

/**
 * A checkout of the caller's own, locked until the transaction ends, and why it cannot be changed. A
 * pending review of it ends even if the change is refused: the reviewer would decide about something else.
 */
async function lockForChange(
  context: Context,
  tx: Transaction,
  ref: CheckoutRef,
): Promise<Result<Changed, "not_found">> {
  await lockCheckout(tx, ref.checkoutId);
  const own = await ownCheckout(tx, ref);
  if (!own.ok) return own;
  const { records, checkout } = await invalidateReview(context, tx, own.value, ref.platform);
  return ok({ checkout, refusal: refusalOf(context, checkout), records });
}

/** Replaces the content of a checkout. */
export async function updateCheckout(
  context: Context,
  tx: Transaction,
  ref: CheckoutRef,
  requested: RequestedContent,
): Promise<Result<Changed, "not_found">> {
  const locked = await lockForChange(context, tx, ref);
  if (!locked.ok) return locked;
  const { checkout, refusal, records } = locked.value;
  if (refusal !== undefined) return locked;
  const { delivery: before, codes: codesBefore = [] } = checkout.content;
  const addresses = requested.delivery.addresses ?? before.addresses;
  const delivery = { ...requested.delivery, addresses };
  const { codes, ...others } = requested;
  const stored = await storedCodes(tx, ref.siteKeyHash, codes ?? codesBefore);
  const content: CheckoutContent = { ...others, delivery, ...stored };
  const quote = await quoteFor(context, tx, ref.siteKeyHash, content, "quote");
  // A final refusal stays. A platform that wants something else creates another checkout.
  const problem = checkout.problem?.final ? checkout.problem : null;
  const own = takenOver(checkout, ref.platform);
  // What the platform sends is shown to the next browser that opens the page, not to an earlier one.
  const updated: Checkout = { ...own, content, quote, problem, browserMac: null };
  await writeCheckout(tx, updated);
  return ok({ checkout: updated, records });
}

/** Cancels a checkout. A payment under way then makes no order, and its authorization is voided. */
export async function cancelCheckout(
  context: Context,
  tx: Transaction,
  ref: CheckoutRef,
): Promise<Result<Changed, "not_found">> {
  const locked = await lockForChange(context, tx, ref);
  if (!locked.ok) return locked;
  const { checkout, refusal, records } = locked.value;
  if (refusal === "completed" || refusal === "cancelled") return locked;
  const cancelled: Checkout = { ...checkout, status: "cancelled", problem: null };
  await writeCheckout(tx, cancelled);
  const { decisionId } = checkout;
  if (decisionId !== null) await reconcilePaymentNow(tx, decisionId, context.clock.now());
  return ok({ checkout: cancelled, records });
}
