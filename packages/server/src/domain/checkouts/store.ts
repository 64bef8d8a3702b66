import type { Queries, Transaction } from "../../infra/db/database.js";
import { packJson, unpackJson } from "../../infra/db/packed-json.js";
import {
  countBytes,
  deleteCounted,
  type Holder,
  rowBytes,
} from "../../infra/quota/stored-bytes.js";
import { DAY_MS, HOUR_MS } from "../../infra/time.js";
import {
  CHECKOUT_ID,
  type Checkout,
  type CheckoutContent,
  type CheckoutStatus,
  type Problem,
  type Quote,
} from "./checkout.js";

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
  holder: Holder;
  bytes: number;
}

function checkoutOf(row: Row): Checkout {
  return Object.freeze({
    checkoutId: row.checkout_id,
    siteKeyHash: row.site_key_hash,
    pageId: row.page_id,
    platform: {
      url: row.platform_url,
      signed: row.platform_signed === 1,
      webhookUrl: row.webhook_url,
      holder: row.holder,
    },
    policies: row.policies === null ? [] : JSON.parse(row.policies),
    cartId: row.cart_id,
    status: row.status,
    content: unpackJson<CheckoutContent>(row.content),
    quote: unpackJson<Quote>(row.quote),
    problem: row.problem === null ? null : JSON.parse(row.problem),
    tries: row.tries,
    decisionId: row.decision_id,
    orderId: row.order_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  });
}

/** The stored columns of a checkout, and the bytes that its row takes. */
function contentColumns({ platform, policies, content, quote, problem }: Checkout) {
  const texts = {
    webhook_url: platform.webhookUrl,
    content: packJson(content),
    quote: packJson(quote),
    problem: problem && JSON.stringify(problem),
  };
  const terms = policies.length === 0 ? null : JSON.stringify(policies);
  return { ...texts, bytes: rowBytes(platform.url, terms, ...Object.values(texts)) };
}

export async function insertCheckout(tx: Transaction, checkout: Checkout): Promise<void> {
  const columns = contentColumns(checkout);
  await countBytes(tx, checkout.siteKeyHash, checkout.platform.holder, columns.bytes);
  await tx.insert("checkouts", [
    {
      checkout_id: checkout.checkoutId,
      site_key_hash: checkout.siteKeyHash,
      page_id: checkout.pageId,
      platform_url: checkout.platform.url,
      platform_signed: checkout.platform.signed ? 1 : 0,
      holder: checkout.platform.holder,
      ...columns,
      cart_id: checkout.cartId,
      status: checkout.status,
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

/** The newest checkout of a cart that has not ended. */
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
    siteKeyHash,
    cartId,
    now,
  );
  return row && checkoutOf(row);
}

/** Locks a checkout until the transaction ends, so that changes happen one after the other. */
export async function lockCheckout(tx: Transaction, checkoutId: string): Promise<void> {
  if (!CHECKOUT_ID.test(checkoutId)) return;
  await tx.lock("SELECT checkout_id FROM checkouts WHERE checkout_id = ?", checkoutId);
}

/** Counts the bytes of a checkout for a holder, and no longer for the previous one. */
async function recountCheckout(
  tx: Transaction,
  { checkoutId, siteKeyHash }: Pick<Checkout, "checkoutId" | "siteKeyHash">,
  { holder, bytes }: { readonly holder: Holder; readonly bytes: number },
): Promise<void> {
  const before = await tx.get<Pick<Row, "holder" | "bytes">>(
    "SELECT holder, bytes FROM checkouts WHERE checkout_id = ?",
    checkoutId,
  );
  if (before === undefined || (before.holder === holder && before.bytes === bytes)) return;
  const sql = "UPDATE checkouts SET holder = ?, bytes = ? WHERE checkout_id = ?";
  await tx.run(sql, holder, bytes, checkoutId);
  await countBytes(tx, siteKeyHash, holder, bytes);
  await countBytes(tx, siteKeyHash, before.holder, -before.bytes);
}

/** Writes the current state of a checkout. Its platform and its expiry never change. */
export async function writeCheckout(tx: Transaction, checkout: Checkout): Promise<void> {
  const { platform, status, tries, decisionId, orderId, checkoutId } = checkout;
  const { webhook_url, content, quote, problem, bytes } = contentColumns(checkout);
  await tx.run(
    `UPDATE checkouts SET platform_signed = ?, webhook_url = ?, status = ?, content = ?, quote = ?,
       problem = ?, tries = ?, decision_id = ?, order_id = ? WHERE checkout_id = ?`,
    platform.signed ? 1 : 0,
    webhook_url,
    status,
    content,
    quote,
    problem,
    tries,
    decisionId,
    orderId,
    checkoutId,
  );
  await recountCheckout(tx, checkout, { holder: platform.holder, bytes });
}

/** Writes the signed terms that were shown with a checkout. */
export async function writePolicies(tx: Transaction, checkout: Checkout): Promise<void> {
  const { checkoutId, policies, platform } = checkout;
  const sql = "UPDATE checkouts SET policies = ? WHERE checkout_id = ?";
  await tx.run(sql, JSON.stringify(policies), checkoutId);
  const { bytes } = contentColumns(checkout);
  await recountCheckout(tx, checkout, { holder: platform.holder, bytes });
}

/** Whether a try is still the one under way. */
const ITS_TRY = "checkout_id = ? AND decision_id = ? AND status = 'completing'";

/** One try to complete a checkout. */
export interface CompletionTry {
  readonly checkoutId: string;
  readonly decisionId: string;
}

/** Whether a try is under way. This stays true until the transaction ends. */
export async function isUnderWay(
  tx: Transaction,
  { checkoutId, decisionId }: CompletionTry,
): Promise<boolean> {
  const sql = `SELECT checkout_id FROM checkouts WHERE ${ITS_TRY}`;
  return (await tx.lock(sql, checkoutId, decisionId)).length === 1;
}

/**
 * Reopens a checkout after a try without an order, so that it can be changed and tried again.
 * Returns false if it has ended.
 */
export async function reopenCheckout(
  tx: Transaction,
  { checkoutId, decisionId }: CompletionTry,
  problem: Problem,
): Promise<boolean> {
  const sql = `UPDATE checkouts SET status = 'open', problem = ? WHERE ${ITS_TRY}`;
  return (await tx.run(sql, JSON.stringify(problem), checkoutId, decisionId)) === 1;
}

/**
 * Marks a checkout as completed by an order. Its cart ends, and the checkout no longer uses a
 * share. Returns false if it was cancelled in the meantime.
 */
export async function completeCheckout(
  tx: Transaction,
  { checkoutId, decisionId }: CompletionTry,
  { orderId, now }: { readonly orderId: string; readonly now: number },
): Promise<boolean> {
  await tx.run(
    `UPDATE carts SET cancelled_at = ?
     WHERE cart_id = (SELECT cart_id FROM checkouts WHERE checkout_id = ?)`,
    now,
    checkoutId,
  );
  const sql = `UPDATE checkouts SET status = 'completed', problem = NULL, order_id = ?
     WHERE ${ITS_TRY}`;
  if ((await tx.run(sql, orderId, checkoutId, decisionId)) !== 1) return false;
  const row = await tx.get<Pick<Row, "site_key_hash">>(
    "SELECT site_key_hash FROM checkouts WHERE checkout_id = ?",
    checkoutId,
  );
  const siteKeyHash = row?.site_key_hash ?? "";
  await recountCheckout(tx, { checkoutId, siteKeyHash }, { holder: "", bytes: 0 });
  return true;
}

/** How long an expired checkout without an order can still be read, by whether it was signed. */
const KEPT_MS = { signed: DAY_MS, unsigned: HOUR_MS };

/** Deletes expired checkouts without an order, with everything about their buyers. */
export async function deleteExpiredCheckouts(tx: Transaction, now: number): Promise<void> {
  const over = `status IN ('open', 'cancelled')
     AND (expires_at < ? OR (expires_at < ? AND platform_signed = 0))`;
  await deleteCounted(tx, "checkouts", over, now - KEPT_MS.signed, now - KEPT_MS.unsigned);
}

/** Deletes a holder's oldest checkouts that nobody tried to complete. Returns the bytes freed. */
export function evictCheckouts(
  tx: Transaction,
  siteKeyHash: string,
  holder: Holder,
  rows: number,
): Promise<number> {
  const oldest = `checkout_id IN (SELECT checkout_id FROM checkouts
     WHERE site_key_hash = ? AND holder = ? AND decision_id IS NULL
       AND status IN ('open', 'cancelled') ORDER BY created_at, checkout_id LIMIT ?)`;
  return deleteCounted(tx, "checkouts", oldest, siteKeyHash, holder, rows);
}

export async function deleteCheckouts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await deleteCounted(tx, "checkouts", "site_key_hash = ?", siteKeyHash);
}
