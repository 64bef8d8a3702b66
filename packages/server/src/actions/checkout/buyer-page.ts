import { createHash } from "node:crypto";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Cart } from "../../domain/checkouts/carts/cart.js";
import { cartByPage } from "../../domain/checkouts/carts/store.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import {
  bindBrowser,
  checkoutById,
  checkoutByPage,
  checkoutOfCart,
  lockCheckout,
  writeCheckout,
} from "../../domain/checkouts/store.js";
import type { Order } from "../../domain/orders/order.js";
import { orderById, orderByPage } from "../../domain/orders/store.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { noticeZone } from "../../purchase/notices/notify-owner.js";
import { isTestOrder, type WholeOrder, wholeOrder } from "../../purchase/orders/whole-order.js";
import { reconcilePaymentNow, syncPaymentOfDecision } from "../../purchase/reconcile.js";
import { withShopQuotes } from "../../purchase/shop-quote.js";
import { type BuyerEntries, entered } from "./buyer-entries.js";
import { type Progress, progressOf } from "./progress.js";
import { createCheckout, refusalOf } from "./sessions.js";

/** What the page of a checkout shows its buyer. */
export interface BuyerProgress {
  readonly progress: Progress | null;
  readonly order: WholeOrder | null;
  /** Whether it is a test order: no money moves. */
  readonly isTest: boolean;
}

/** What a page belongs to: a checkout, a cart, or an order that a mandate placed. */
type BuyerPage =
  | { readonly kind: "checkout"; readonly site: Site; readonly checkout: Checkout }
  | { readonly kind: "cart"; readonly site: Site; readonly cart: Cart }
  | { readonly kind: "order"; readonly site: Site; readonly order: Order };

/** The subject of a page, and its shop; undefined if there is no such page. */
export async function findBuyerPage(
  { db }: Context,
  hash: string,
  pageId: string,
): Promise<BuyerPage | undefined> {
  const site = await findSite(db, hash, "hash");
  if (site === undefined) return undefined;
  const checkout = await checkoutByPage(db, site.siteKeyHash, pageId);
  if (checkout !== undefined) return { kind: "checkout", site, checkout };
  const cart = await cartByPage(db, site.siteKeyHash, pageId);
  if (cart !== undefined) return { kind: "cart", site, cart };
  const order = await orderByPage(db, site.siteKeyHash, pageId);
  return order && { kind: "order", site, order };
}

/** The zone of the times on a page. */
export const zoneOfShop = ({ db }: Context, { siteKeyHash }: Site) => noticeZone(db, siteKeyHash);

/** An order, and what else its page shows. */
export async function buyerOrder(db: Queries, order: Order) {
  return { order: await wholeOrder(db, order), isTest: await isTestOrder(db, order) };
}

/** The progress of a checkout, and its order. */
export async function buyerProgress(db: Queries, checkout: Checkout): Promise<BuyerProgress> {
  const { siteKeyHash, orderId } = checkout;
  const progress = await progressOf(db, checkout);
  const order = orderId === null ? undefined : await orderById(db, siteKeyHash, orderId);
  if (order === undefined) return { progress, order: null, isTest: false };
  return { progress, ...(await buyerOrder(db, order)) };
}

/** A browser as checkouts store it. Nobody who reads the database can pretend to be one. */
export const browserMacOf = (secret: string): string =>
  createHash("sha256").update(secret).digest("base64url");

/** Binds a checkout to a browser, if no other was first. Returns whose it is. */
export async function firstBrowser(
  { db }: Context,
  { checkout, progress }: { readonly checkout: Checkout; readonly progress: Progress | null },
  browserMac: string,
): Promise<string | null> {
  const mayBind = checkout.status === "open" || progress?.kind === "reviewed";
  if (checkout.browserMac !== null || !mayBind) return checkout.browserMac;
  const isFirst = await db.shortTransaction((tx) => bindBrowser(tx, checkout, browserMac));
  if (isFirst) return browserMac;
  return (await checkoutById(db, checkout.siteKeyHash, checkout.checkoutId))?.browserMac ?? null;
}

const NOTHING_ENTERED: Omit<BuyerEntries, "browserMac"> = {
  email: "",
  address: {},
  optionId: null,
  language: "en",
};

/** An open checkout at current prices. A browser that it is not bound to is shown nothing of the buyer. */
export function checkoutInBrowser(
  context: Context,
  checkout: Checkout,
  browserMac: string,
): Promise<Checkout> {
  const isOwn = checkout.browserMac === browserMac;
  const entries = isOwn ? null : { ...NOTHING_ENTERED, browserMac };
  // A line that was sold out is checked against the stock again; other lines do not reveal it.
  const purpose = checkout.quote.lines.includes("out_of_stock") ? "order" : "quote";
  const { db } = context;
  return withShopQuotes(context, () => entered(context, db, checkout, entries, purpose));
}

/** Writes what a buyer has entered, and prices it. */
export async function enterOnPage(
  context: Context,
  { checkoutId, siteKeyHash }: Checkout,
  entries: BuyerEntries,
): Promise<void> {
  const write = async (tx: Transaction) => {
    await lockCheckout(tx, checkoutId);
    const checkout = await checkoutById(tx, siteKeyHash, checkoutId);
    if (checkout === undefined || refusalOf(context, checkout) !== undefined) return;
    await writeCheckout(tx, await entered(context, tx, checkout, entries, "quote"));
  };
  await withShopQuotes(context, () => context.db.shortTransaction(write));
}

/**
 * Ends the payment that is under way, so that the buyer can change the order. A payment that was completed in
 * the meantime makes its order. If the provider does not answer, the reconcile job closes its page.
 */
export async function cancelOnPage(context: Context, checkout: Checkout): Promise<void> {
  const { siteKeyHash, checkoutId, decisionId } = checkout;
  if (decisionId === null) return;
  await syncReturnedBuyer(context, decisionId);
  const isReopened = await context.db.transaction(async (tx) => {
    await lockCheckout(tx, checkoutId);
    const current = await checkoutById(tx, siteKeyHash, checkoutId);
    const progress = current && (await progressOf(tx, current));
    const isHosted =
      (progress?.kind === "challenged" && progress.closesAt !== null) ||
      (progress?.kind === "paying" && progress.hosted);
    if (current?.decisionId !== decisionId || !isHosted) return false;
    await writeCheckout(tx, { ...current, status: "open", problem: null });
    await reconcilePaymentNow(tx, decisionId, context.clock.now());
    return true;
  });
  if (isReopened) await syncReturnedBuyer(context, decisionId);
}

/** The checkout of a cart, which is made if there is none yet. */
export async function checkoutOfCartPage(
  context: Context,
  { siteKeyHash, cartId, platform }: Cart,
): Promise<Result<Checkout, "not_found">> {
  const delivery = { addresses: [], addressId: null, optionId: null };
  const content = { lines: [], buyer: {}, context: {}, delivery };
  const create = async (tx: Transaction) => {
    // Everybody who has the page of a cart can continue with its checkout, even if a signed call made it.
    const begun = await checkoutOfCart(tx, siteKeyHash, cartId, context.clock.now());
    if (begun !== undefined) return ok({ kind: "created", checkout: begun } as const);
    return createCheckout(context, tx, siteKeyHash, { platform, content, cartId });
  };
  const created = await withShopQuotes(context, () => context.db.shortTransaction(create));
  if (!created.ok) return created;
  if (created.value.kind === "created") return ok(created.value.checkout);
  return refuse("not_found", "None of the items in this cart can be bought now.");
}

/**
 * Syncs the payment of a checkout when its buyer returns from the bank. If the provider does not answer, the
 * page shows what is known, and the reconcile job tries again.
 */
export async function syncReturnedBuyer(context: Context, decisionId: string): Promise<void> {
  await syncPaymentOfDecision(context, decisionId).catch((error: unknown) => {
    context.log.warn({ error }, "payment.not_followed");
  });
}
