import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { rowExists, selectValue, selectValues } from "../../infra/db/statements.js";
import { AMOUNT, flag, json, Table } from "../../infra/db/table.js";
import { isOpen, type Payment } from "./payment.js";

const payments = new Table<Payment>("payments", {
  attemptId: "attempt_id",
  siteKeyHash: "site_key_hash",
  decisionId: "decision_id",
  escalationId: "escalation_id",
  hosted: flag("hosted"),
  checkoutId: "checkout_id",
  returnUrl: "return_url",
  challengeUrl: "challenge_url",
  provider: "processor",
  accountId: "account_id",
  amount: AMOUNT,
  items: json("items"),
  inShop: flag("in_shop"),
  sealedToken: "sealed_token",
  tokenMac: "token_mac",
  parentRecordId: "parent_record_id",
  answer: json("answer"),
  recordedRequest: json("about"),
  status: "status",
  reference: "reference",
  reason: "reason",
  requestedAt: "requested_at",
  tries: "tries",
  nextAt: "next_at",
});

export function insertPayment(tx: Transaction, payment: Payment): Promise<void> {
  return payments.insert(tx, [payment]);
}

export const paymentById = payments.by("attempt_id");

/** What {@link findPayment} reads. */
export function readOfPayment(attemptId: string): ExpectedRead {
  return { kind: "find", table: "payments", key: { attempt_id: attemptId } };
}

/** As `paymentById`, for a commit: it is read together with what other commits read. */
export function findPayment(db: Queries, attemptId: string): Promise<Payment | undefined> {
  return payments.find(db, { attempt_id: attemptId });
}

/** Which of these attempts were paid in test mode: by the sandbox, or with a test account. */
export async function testAttempts(
  db: Queries,
  attemptIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (attemptIds.length === 0) return new Set();
  const marks = attemptIds.map(() => "?").join(", ");
  const from = `payments LEFT JOIN processor_accounts
    ON processor_accounts.account_id = payments.account_id
    WHERE payments.attempt_id IN (${marks})
      AND (payments.processor = 'sandbox' OR processor_accounts.live = 0)`;
  return new Set(await selectValues<string>(db, "payments.attempt_id", from, ...attemptIds));
}

/** The payment of a decision: the newest, if a review was approved again after the shop system had not answered. */
export function paymentOfDecision(db: Queries, decisionId: string): Promise<Payment | undefined> {
  const rest = "WHERE decision_id = ? ORDER BY requested_at DESC, attempt_id DESC LIMIT 1";
  return payments.get(db, rest, decisionId);
}

/**
 * The payment with a provider's reference. If two accounts of a site use the same reference,
 * `accountId` decides.
 */
export function paymentByReference(
  db: Queries,
  siteKeyHash: string,
  { reference, accountId }: { readonly reference: string; readonly accountId: string },
): Promise<Payment | undefined> {
  const rest = "WHERE site_key_hash = ? AND reference = ? AND account_id = ?";
  return payments.get(db, rest, siteKeyHash, reference, accountId);
}

/** The provider's reference of the newest attempt of an account that has one. */
export function newestReference(db: Queries, accountId: string): Promise<string | undefined> {
  const from = `payments WHERE account_id = ? AND reference IS NOT NULL
     ORDER BY requested_at DESC LIMIT 1`;
  return selectValue<string>(db, "reference", from, accountId);
}

/** Whether an account was ever used. */
export function wasUsed(db: Queries, accountId: string): Promise<boolean> {
  return rowExists(db, "payments WHERE account_id = ?", accountId);
}

/** Whether a site has a payment without an outcome. */
export function hasOpenPayments(db: Queries, siteKeyHash: string): Promise<boolean> {
  const from = "payments WHERE site_key_hash = ? AND status IN ('requested', 'unknown')";
  return rowExists(db, from, siteKeyHash);
}

/** Writes the state of a payment. The token is erased as soon as nothing is open. */
export async function writePayment(tx: Transaction, payment: Payment, now: number): Promise<void> {
  const open = isOpen(payment);
  const challengeUrl = open || payment.status === "releasing" ? payment.challengeUrl : null;
  const { attemptId, status, reference, reason, tries, nextAt } = payment;
  const state = { status, reference, reason, tries, next_at: nextAt, challenge_url: challengeUrl };
  const ended = { ended_at: now, sealed_token: null };
  const changed = open ? { ...state, ended_at: null } : Object.assign(state, ended);
  await tx.set("payments", { attempt_id: attemptId }, changed);
}

/** Payments of all sites that have to be checked. */
export function duePayments(db: Queries, now: number, limit: number): Promise<Payment[]> {
  return payments.all(db, "WHERE next_at <= ? ORDER BY next_at LIMIT ?", now, limit);
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

/** Makes payments of a site due whose buyers are on the provider's page since then. */
export async function claimPages(
  tx: Transaction,
  siteKeyHash: string,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<void> {
  const sql = `UPDATE payments SET next_at = ?
    WHERE site_key_hash = ? AND requested_at > ? AND hosted = 1 AND status = 'unknown'`;
  await tx.run(sql, now, siteKeyHash, since);
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

/** The state of a payment, as its owner sees it. Never how it was paid. */
export type PaymentState = Pick<
  Payment,
  "attemptId" | "provider" | "status" | "reason" | "requestedAt" | "challengeUrl"
>;
