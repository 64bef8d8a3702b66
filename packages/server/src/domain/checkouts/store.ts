import type { NewRow, Queries, Transaction } from "../../infra/db/database.js";
import { selectValue } from "../../infra/db/statements.js";
import { converted, jsonOrNull, packJson, Table, unpackJson } from "../../infra/db/table.js";
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
  type Problem,
  type Quote,
} from "./checkout.js";
import { PLATFORM } from "./platform.js";

export const checkouts = new Table<Checkout>("checkouts", {
  checkoutId: "checkout_id",
  siteKeyHash: "site_key_hash",
  pageId: "page_id",
  browserMac: "browser_mac",
  platform: PLATFORM,
  policies: converted(
    "policies",
    (text) => (text === null ? [] : JSON.parse(text)),
    (policies) => (policies.length === 0 ? null : JSON.stringify(policies)),
  ),
  cartId: "cart_id",
  status: "status",
  content: converted("content", unpackJson<CheckoutContent>, packJson),
  quote: converted("quote", unpackJson<Quote>, packJson),
  problem: jsonOrNull<Problem>("problem"),
  tries: "tries",
  decisionId: "decision_id",
  orderId: "order_id",
  createdAt: "created_at",
  expiresAt: "expires_at",
});

/** The row of a checkout, with the bytes that it takes. Its buyer may have changed, so `buyer_mac` is computed again. */
function rowOf(checkout: Checkout): NewRow & { readonly bytes: number } {
  const row = checkouts.rowOf(checkout);
  const { platform_url, webhook_url, ucp_version, policies, content, quote, problem } = row;
  const texts = [platform_url, webhook_url, ucp_version, policies, content, quote, problem];
  return { ...row, buyer_mac: null, bytes: rowBytes(...(texts as (string | null)[])) };
}

export async function insertCheckout(tx: Transaction, checkout: Checkout): Promise<void> {
  const row = rowOf(checkout);
  await countBytes(tx, checkout.siteKeyHash, checkout.platform.holder, row.bytes);
  await tx.insert("checkouts", [row]);
}

export async function checkoutById(
  db: Queries,
  siteKeyHash: string,
  checkoutId: string,
): Promise<Checkout | undefined> {
  if (!CHECKOUT_ID.test(checkoutId)) return undefined;
  return checkouts.get(db, "WHERE site_key_hash = ? AND checkout_id = ?", siteKeyHash, checkoutId);
}

/** Checkouts of a site by their ids. */
export async function checkoutsAmong(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Checkout>> {
  const rows = await checkouts.among(db, siteKeyHash, "checkout_id", ids);
  return new Map(rows.map((checkout) => [checkout.checkoutId, checkout]));
}

export async function checkoutByPage(
  db: Queries,
  siteKeyHash: string,
  pageId: string,
): Promise<Checkout | undefined> {
  if (!CHECKOUT_ID.test(pageId)) return undefined;
  return checkouts.get(db, "WHERE site_key_hash = ? AND page_id = ?", siteKeyHash, pageId);
}

/** The newest checkout of a cart that has not ended. */
export function checkoutOfCart(
  db: Queries,
  siteKeyHash: string,
  cartId: string,
  now: number,
): Promise<Checkout | undefined> {
  return checkouts.get(
    db,
    `WHERE site_key_hash = ? AND cart_id = ?
       AND (status = 'completing' OR (status = 'open' AND expires_at > ?))
     ORDER BY created_at DESC LIMIT 1`,
    siteKeyHash,
    cartId,
    now,
  );
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
  const before = await tx.get<{ holder: Holder; bytes: number }>(
    "SELECT holder, bytes FROM checkouts WHERE checkout_id = ?",
    checkoutId,
  );
  if (before === undefined || (before.holder === holder && before.bytes === bytes)) return;
  const sql = "UPDATE checkouts SET holder = ?, bytes = ? WHERE checkout_id = ?";
  await tx.run(sql, holder, bytes, checkoutId);
  await countBytes(tx, siteKeyHash, holder, bytes);
  await countBytes(tx, siteKeyHash, before.holder, -before.bytes);
}

/** The columns that change while a checkout is open. Its platform and its expiry never change. */
const STATE = [
  "proof",
  "webhook_url",
  "ucp_version",
  "status",
  "content",
  "quote",
  "problem",
  "tries",
  "decision_id",
  "order_id",
  "browser_mac",
  "buyer_mac",
];

async function writeColumns(tx: Transaction, checkout: Checkout, columns: readonly string[]) {
  const { checkoutId, platform } = checkout;
  const row = rowOf(checkout);
  await checkouts.update(tx, row, columns, "checkout_id = ?", checkoutId);
  await recountCheckout(tx, checkout, { holder: platform.holder, bytes: row.bytes });
}

export function writeCheckout(tx: Transaction, checkout: Checkout): Promise<void> {
  return writeColumns(tx, checkout, STATE);
}

/** Binds a checkout to the first browser that shows it. Returns false if it has one. */
export async function bindBrowser(
  tx: Transaction,
  { checkoutId }: Pick<Checkout, "checkoutId">,
  browserMac: string,
): Promise<boolean> {
  const sql = "UPDATE checkouts SET browser_mac = ? WHERE checkout_id = ? AND browser_mac IS NULL";
  return (await tx.run(sql, browserMac, checkoutId)) === 1;
}

/** Writes the signed terms that were shown with a checkout. */
export function writePolicies(tx: Transaction, checkout: Checkout): Promise<void> {
  return writeColumns(tx, checkout, ["policies"]);
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
  const from = "checkouts WHERE checkout_id = ?";
  const siteKeyHash = (await selectValue<string>(tx, "site_key_hash", from, checkoutId)) ?? "";
  await recountCheckout(tx, { checkoutId, siteKeyHash }, { holder: "", bytes: 0 });
  return true;
}

/** How long an expired checkout without an order can still be read, by whether its platform was proven. */
const READABLE_MS = { proven: DAY_MS, unproven: HOUR_MS };

/** Deletes expired checkouts without an order, with everything about their buyers. */
export async function deleteExpiredCheckouts(tx: Transaction, now: number): Promise<void> {
  const over = `status IN ('open', 'cancelled')
     AND (expires_at < ? OR (expires_at < ? AND proof = 'none'))`;
  await deleteCounted(tx, "checkouts", over, now - READABLE_MS.proven, now - READABLE_MS.unproven);
}

/** Deletes a holder's oldest checkouts that are not under way, untried ones first. Returns the bytes freed. */
export function evictCheckouts(
  tx: Transaction,
  siteKeyHash: string,
  holder: Holder,
  rows: number,
): Promise<number> {
  const oldest = `checkout_id IN (SELECT checkout_id FROM checkouts
     WHERE site_key_hash = ? AND holder = ? AND status IN ('open', 'cancelled')
     ORDER BY CASE WHEN decision_id IS NULL THEN 0 ELSE 1 END, created_at, checkout_id LIMIT ?)`;
  return deleteCounted(tx, "checkouts", oldest, siteKeyHash, holder, rows);
}

export async function deleteCheckouts(tx: Transaction, siteKeyHash: string): Promise<void> {
  await deleteCounted(tx, "checkouts", "site_key_hash = ?", siteKeyHash);
}
