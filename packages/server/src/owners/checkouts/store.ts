import type { Queries, Transaction } from "../../platform/db/database.js";
import { CHECKOUT_ID, type Checkout, type CheckoutStatus, type Problem } from "./checkout.js";

interface Row {
  checkout_id: string;
  site_key_hash: string;
  page_id: string;
  platform_url: string;
  platform_signed: number;
  webhook_url: string | null;
  policies: string | null;
  cart_id: string | null;
  status: CheckoutStatus;
  content: string;
  quote: string;
  problem: string | null;
  tries: number;
  decision_id: string | null;
  order_id: string | null;
  created_at: number;
  expires_at: number;
}

function checkoutOf(row: Row): Checkout {
  return Object.freeze({
    checkoutId: row.checkout_id,
    siteKeyHash: row.site_key_hash,
    pageId: row.page_id,
    platform: {
      ...{ url: row.platform_url, signed: row.platform_signed === 1 },
      webhookUrl: row.webhook_url,
    },
    policies: row.policies === null ? [] : JSON.parse(row.policies),
    cartId: row.cart_id,
    status: row.status,
    content: JSON.parse(row.content),
    quote: JSON.parse(row.quote),
    problem: row.problem === null ? null : JSON.parse(row.problem),
    tries: row.tries,
    decisionId: row.decision_id,
    orderId: row.order_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  });
}

export async function insertCheckout(tx: Transaction, checkout: Checkout): Promise<void> {
  await tx.insert("checkouts", [
    {
      checkout_id: checkout.checkoutId,
      site_key_hash: checkout.siteKeyHash,
      page_id: checkout.pageId,
      platform_url: checkout.platform.url,
      platform_signed: checkout.platform.signed ? 1 : 0,
      webhook_url: checkout.platform.webhookUrl,
      cart_id: checkout.cartId,
      status: checkout.status,
      content: JSON.stringify(checkout.content),
      quote: JSON.stringify(checkout.quote),
      problem: null,
      tries: checkout.tries,
      created_at: checkout.createdAt,
      expires_at: checkout.expiresAt,
    },
  ]);
}

export async function checkoutById(
  db: Queries,
  siteKeyHash: string,
  checkoutId: string,
): Promise<Checkout | undefined> {
  if (!CHECKOUT_ID.test(checkoutId)) return undefined;
  const sql = "SELECT * FROM checkouts WHERE site_key_hash = ? AND checkout_id = ?";
  const row = await db.get<Row>(sql, siteKeyHash, checkoutId);
  return row && checkoutOf(row);
}

export async function checkoutByPage(
  db: Queries,
  siteKeyHash: string,
  pageId: string,
): Promise<Checkout | undefined> {
  if (!CHECKOUT_ID.test(pageId)) return undefined;
  const sql = "SELECT * FROM checkouts WHERE site_key_hash = ? AND page_id = ?";
  const row = await db.get<Row>(sql, siteKeyHash, pageId);
  return row && checkoutOf(row);
}

/** The newest that was made of a cart and is not over. */
export async function checkoutOfCart(
  db: Queries,
  siteKeyHash: string,
  cartId: string,
  now: number,
): Promise<Checkout | undefined> {
  const row = await db.get<Row>(
    `SELECT * FROM checkouts WHERE site_key_hash = ? AND cart_id = ?
       AND (status = 'completing' OR (status = 'open' AND expires_at > ?))
     ORDER BY created_at DESC LIMIT 1`,
    ...[siteKeyHash, cartId, now],
  );
  return row && checkoutOf(row);
}

/** Holds a checkout until the transaction ends: whoever changes it next waits. */
export async function lockCheckout(tx: Transaction, checkoutId: string): Promise<void> {
  if (!CHECKOUT_ID.test(checkoutId)) return;
  await tx.lock("SELECT checkout_id FROM checkouts WHERE checkout_id = ?", checkoutId);
}

/** Writes where a checkout has come to. Which platform made it, and when it ends, stays. */
export async function writeCheckout(tx: Transaction, checkout: Checkout): Promise<void> {
  const { platform, problem, status, tries, decisionId, orderId, checkoutId } = checkout;
  await tx.run(
    `UPDATE checkouts SET platform_signed = ?, webhook_url = ?, status = ?, content = ?, quote = ?, problem = ?, tries = ?,
       decision_id = ?, order_id = ? WHERE checkout_id = ?`,
    ...[platform.signed ? 1 : 0, platform.webhookUrl, status, JSON.stringify(checkout.content)],
    ...[
      JSON.stringify(checkout.quote),
      problem && JSON.stringify(problem),
      tries,
      decisionId,
      orderId,
      checkoutId,
    ],
  );
}

/** Keeps the terms a checkout was shown under, as they were signed. */
export async function writePolicies(
  tx: Transaction,
  { checkoutId, policies }: Checkout,
): Promise<void> {
  const sql = "UPDATE checkouts SET policies = ? WHERE checkout_id = ?";
  await tx.run(sql, JSON.stringify(policies), checkoutId);
}

/** Whether a try to complete it is still the one that is under way. */
const ITS_TRY = "checkout_id = ? AND decision_id = ? AND status = 'completing'";

/** A checkout and one try to complete it. */
export interface Try {
  readonly checkoutId: string;
  readonly decisionId: string;
}

/** Whether a try is under way, and stays so until the transaction ends. */
export async function isUnderWay(
  tx: Transaction,
  { checkoutId, decisionId }: Try,
): Promise<boolean> {
  const sql = `SELECT checkout_id FROM checkouts WHERE ${ITS_TRY}`;
  return (await tx.lock(sql, checkoutId, decisionId)).length === 1;
}

/** Nothing came of a try: it can be changed, and perhaps tried again. False where it is over. */
export async function reopenCheckout(
  tx: Transaction,
  { checkoutId, decisionId }: Try,
  problem: Problem,
): Promise<boolean> {
  const sql = `UPDATE checkouts SET status = 'open', problem = ? WHERE ${ITS_TRY}`;
  return (await tx.run(sql, JSON.stringify(problem), checkoutId, decisionId)) === 1;
}

/** An order came of it, and so its cart is used up. False where it was cancelled meanwhile. */
export async function completeCheckout(
  tx: Transaction,
  { checkoutId, decisionId }: Try,
  { orderId, now }: { readonly orderId: string; readonly now: number },
): Promise<boolean> {
  await tx.run(
    `UPDATE carts SET cancelled_at = ?
     WHERE cart_id = (SELECT cart_id FROM checkouts WHERE checkout_id = ?)`,
    ...[now, checkoutId],
  );
  const sql = `UPDATE checkouts SET status = 'completed', problem = NULL, order_id = ?
     WHERE ${ITS_TRY}`;
  return (await tx.run(sql, orderId, checkoutId, decisionId)) === 1;
}

/** Forgets what nothing came of, with all that is known of its buyer. */
export async function forgetCheckouts(tx: Transaction, before: number): Promise<void> {
  const sql = "DELETE FROM checkouts WHERE status IN ('open', 'cancelled') AND expires_at < ?";
  await tx.run(sql, before);
}

export async function deleteCheckouts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM checkouts WHERE site_key_hash = ?", siteKeyHash);
}
