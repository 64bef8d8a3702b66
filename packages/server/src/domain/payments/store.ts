import type { JsonObject, PaymentHandler } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";

import type { OrderedItem, Payment, PaymentStatus } from "./payment.js";

interface Row {
  attempt_id: string;
  site_key_hash: string;
  decision_id: string;
  escalation_id: string | null;
  checkout_id: string | null;
  return_url: string | null;
  challenge_url: string | null;
  processor: PaymentHandler;
  account_id: string | null;
  amount_minor: number;
  currency: string;
  items: string;
  sealed_token: string | null;
  token_mac: string;
  parent_record_id: string;
  answer: string;
  about: string;
  status: PaymentStatus;
  reference: string | null;
  reason: string | null;
  requested_at: number;
  tries: number;
  next_at: number | null;
}

function paymentOf(row: Row): Payment {
  return Object.freeze({
    attemptId: row.attempt_id,
    siteKeyHash: row.site_key_hash,
    decisionId: row.decision_id,
    escalationId: row.escalation_id,
    checkoutId: row.checkout_id,
    returnUrl: row.return_url,
    challengeUrl: row.challenge_url,
    processor: row.processor,
    accountId: row.account_id,
    amount: Object.freeze({ minor: row.amount_minor, currency: row.currency }),
    items: JSON.parse(row.items) as OrderedItem[],
    sealedToken: row.sealed_token,
    tokenMac: row.token_mac,
    parentRecordId: row.parent_record_id,
    answer: JSON.parse(row.answer) as Payment["answer"],
    about: JSON.parse(row.about) as JsonObject,
    status: row.status,
    reference: row.reference,
    reason: row.reason,
    requestedAt: row.requested_at,
    tries: row.tries,
    nextAt: row.next_at,
  });
}

export async function insertPayment(tx: Transaction, payment: Payment): Promise<void> {
  await tx.insert("payments", [
    {
      attempt_id: payment.attemptId,
      site_key_hash: payment.siteKeyHash,
      decision_id: payment.decisionId,
      escalation_id: payment.escalationId,
      checkout_id: payment.checkoutId,
      return_url: payment.returnUrl,
      processor: payment.processor,
      account_id: payment.accountId,
      amount_minor: payment.amount.minor,
      currency: payment.amount.currency,
      items: JSON.stringify(payment.items),
      sealed_token: payment.sealedToken,
      token_mac: payment.tokenMac,
      parent_record_id: payment.parentRecordId,
      answer: JSON.stringify(payment.answer),
      about: JSON.stringify(payment.about),
      status: payment.status,
      requested_at: payment.requestedAt,
      tries: payment.tries,
      next_at: payment.nextAt,
    },
  ]);
}

export async function paymentById(db: Queries, attemptId: string): Promise<Payment | undefined> {
  const row = await db.get<Row>("SELECT * FROM payments WHERE attempt_id = ?", attemptId);
  return row && paymentOf(row);
}

/** The payment of a decision; there is at most one. */
export async function paymentOfDecision(
  db: Queries,
  decisionId: string,
): Promise<Payment | undefined> {
  const row = await db.get<Row>("SELECT * FROM payments WHERE decision_id = ?", decisionId);
  return row && paymentOf(row);
}

/**
 * The payment with a provider's reference. If two accounts of a site use the same reference,
 * `accountId` decides.
 */
export async function paymentByReference(
  db: Queries,
  siteKeyHash: string,
  { reference, accountId }: { readonly reference: string; readonly accountId: string },
): Promise<Payment | undefined> {
  const sql = "SELECT * FROM payments WHERE site_key_hash = ? AND reference = ? AND account_id = ?";
  const row = await db.get<Row>(sql, siteKeyHash, reference, accountId);
  return row && paymentOf(row);
}

/** What the processor calls the newest attempt of an account; undefined where it named none. */
export async function newestReference(db: Queries, accountId: string): Promise<string | undefined> {
  const row = await db.get<Pick<Row, "reference">>(
    `SELECT reference FROM payments WHERE account_id = ? AND reference IS NOT NULL
     ORDER BY requested_at DESC LIMIT 1`,
    accountId,
  );
  return row?.reference ?? undefined;
}

/** Whether an account was ever used. */
export async function wasUsed(db: Queries, accountId: string): Promise<boolean> {
  const sql = "SELECT 1 AS used FROM payments WHERE account_id = ? LIMIT 1";
  return (await db.get(sql, accountId)) !== undefined;
}

/** Whether a site has a payment without an outcome. */
export async function hasOpenPayments(db: Queries, siteKeyHash: string): Promise<boolean> {
  const row = await db.get(
    `SELECT 1 AS found FROM payments
     WHERE site_key_hash = ? AND status IN ('requested', 'unknown') LIMIT 1`,
    siteKeyHash,
  );
  return row !== undefined;
}

/** Writes the state of a payment. The token is erased as soon as nothing is open. */
export async function writePayment(tx: Transaction, payment: Payment, now: number): Promise<void> {
  const open = payment.status === "requested" || payment.status === "unknown";
  await tx.run(
    `UPDATE payments SET status = ?, reference = ?, reason = ?, tries = ?, next_at = ?,
       challenge_url = ?, sealed_token = CASE WHEN ? = 1 THEN sealed_token ELSE NULL END, ended_at = ?
     WHERE attempt_id = ?`,
    payment.status,
    payment.reference,
    payment.reason,
    payment.tries,
    payment.nextAt,
    open || payment.status === "releasing" ? payment.challengeUrl : null,
    open ? 1 : 0,
    open ? null : now,
    payment.attemptId,
  );
}

/** Payments of all sites that have to be checked. */
export async function duePayments(db: Queries, now: number, limit: number): Promise<Payment[]> {
  const sql = "SELECT * FROM payments WHERE next_at <= ? ORDER BY next_at LIMIT ?";
  return (await db.all<Row>(sql, now, limit)).map(paymentOf);
}

/** Claims a payment until a time. Returns false if another process was faster. */
export async function claimPayment(
  tx: Transaction,
  { attemptId, nextAt }: Payment,
  until: number,
): Promise<boolean> {
  const sql =
    "UPDATE payments SET next_at = ?, tries = tries + 1 WHERE attempt_id = ? AND next_at = ?";
  return (await tx.run(sql, until, attemptId, nextAt)) === 1;
}

/** Postpones the next check of a payment without an outcome. */
export async function scheduleRecheck(
  tx: Transaction,
  attemptId: string,
  at: number,
): Promise<void> {
  const sql = "UPDATE payments SET next_at = ? WHERE attempt_id = ? AND next_at IS NOT NULL";
  await tx.run(sql, at, attemptId);
}

/** The number of payments without an outcome, of one site or of all, and the time of the oldest. */
export async function measureOpenPayments(
  db: Queries,
  siteKeyHash?: string,
): Promise<{ count: number; since: number | null }> {
  const ofSite = siteKeyHash === undefined ? "" : "AND site_key_hash = ?";
  const row = await db.get<{ open: number; since: number | null }>(
    `SELECT COUNT(*) AS open, MIN(requested_at) AS since FROM payments
     WHERE next_at IS NOT NULL AND status IN ('requested', 'unknown', 'releasing') ${ofSite}`,
    ...(siteKeyHash === undefined ? [] : [siteKeyHash]),
  );
  return { count: Number(row?.open ?? 0), since: row?.since ?? null };
}

/** How far the payment of a decision is, for its owner to see. Never how it was paid. */
export interface PaymentState {
  readonly attemptId: string;
  readonly processor: string;
  readonly status: string;
  /** What the processor said, where it said no or nothing. */
  readonly reason: string | null;
  readonly requestedAt: number;
  /** Where the buyer confirms it to the card's bank, while that is waited for. */
  readonly challengeUrl: string | null;
}

export async function paymentState(
  db: Queries,
  decisionId: string,
): Promise<PaymentState | undefined> {
  const payment = await paymentOfDecision(db, decisionId);
  if (payment === undefined) return undefined;
  const { attemptId, processor, status, reason, requestedAt, challengeUrl } = payment;
  return { attemptId, processor, status, reason, requestedAt, challengeUrl };
}
