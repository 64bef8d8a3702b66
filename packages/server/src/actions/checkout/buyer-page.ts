import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { checkoutByPage } from "../../domain/checkouts/store.js";
import type { Order } from "../../domain/orders/order.js";
import { orderById, orderByPage } from "../../domain/orders/store.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries } from "../../infra/db/database.js";
import { isTestOrder, type WholeOrder, wholeOrder } from "../../purchase/orders/whole-order.js";
import { syncPaymentOfDecision } from "../../purchase/reconcile.js";
import { type Progress, progressOf } from "./progress.js";

/** What the page of a checkout shows its buyer. */
export interface BuyerProgress {
  readonly progress: Progress | null;
  readonly order: WholeOrder | null;
  /** Whether it is a test order: no money moves. */
  readonly isTest: boolean;
}

/** What a page belongs to: a checkout, or an order that a mandate placed. */
type BuyerPage =
  | { readonly kind: "checkout"; readonly site: Site; readonly checkout: Checkout }
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
  const order = await orderByPage(db, site.siteKeyHash, pageId);
  return order && { kind: "order", site, order };
}

/** An order with what its page shows besides. */
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

/**
 * Syncs the payment of a checkout when its buyer returns from the bank. If the provider does not answer, the
 * page shows what is known, and the reconcile job tries again.
 */
export async function syncReturnedBuyer(context: Context, decisionId: string): Promise<void> {
  await syncPaymentOfDecision(context, decisionId).catch((error: unknown) => {
    context.log.warn({ error }, "payment.not_followed");
  });
}
