import type { JsonObject, Money, PaymentHandler } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../platform/db/database.js";

import type { OrderedItem, Payment, PaymentStatus } from "./payment.js";

interface Row {
  attempt_id: string;
  site_key_hash: string;
  decision_id: string;
  escalation_id: string | null;
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

/** The attempt a decision waits for; there is never more than one. */
export async function paymentOfDecision(
  db: Queries,
  decisionId: string,
): Promise<Payment | undefined> {
  const row = await db.get<Row>("SELECT * FROM payments WHERE decision_id = ?", decisionId);
  return row && paymentOf(row);
}

/** The attempt a processor calls so; where two accounts of a site do, that of the one that told. */
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

/** Whether anything was ever asked with an account. */
export async function wasUsed(db: Queries, accountId: string): Promise<boolean> {
  const sql = "SELECT 1 AS used FROM payments WHERE account_id = ? LIMIT 1";
  return (await db.get(sql, accountId)) !== undefined;
}

/** Writes where an attempt has come to. The token goes as soon as nothing is open any more. */
export async function writePayment(tx: Transaction, payment: Payment, now: number): Promise<void> {
  const open = payment.status === "requested" || payment.status === "unknown";
  await tx.run(
    `UPDATE payments SET status = ?, reference = ?, reason = ?, tries = ?, next_at = ?,
       sealed_token = CASE WHEN ? = 1 THEN sealed_token ELSE NULL END, ended_at = ?
     WHERE attempt_id = ?`,
    ...[payment.status, payment.reference, payment.reason, payment.tries, payment.nextAt],
    ...[open ? 1 : 0, open ? null : now, payment.attemptId],
  );
}

/** Attempts that have to be looked after, of all sites. */
export async function duePayments(db: Queries, now: number, limit: number): Promise<Payment[]> {
  const sql = "SELECT * FROM payments WHERE next_at <= ? ORDER BY next_at LIMIT ?";
  return (await db.all<Row>(sql, now, limit)).map(paymentOf);
}

/** Takes an attempt over until a moment; false where somebody else did. */
export async function takePayment(
  tx: Transaction,
  { attemptId, nextAt }: Payment,
  until: number,
): Promise<boolean> {
  const sql =
    "UPDATE payments SET next_at = ?, tries = tries + 1 WHERE attempt_id = ? AND next_at = ?";
  return (await tx.run(sql, until, attemptId, nextAt)) === 1;
}

/** Puts off an attempt that could not be ended. */
export async function lookAgain(tx: Transaction, attemptId: string, at: number): Promise<void> {
  const sql = "UPDATE payments SET next_at = ? WHERE attempt_id = ? AND next_at IS NOT NULL";
  await tx.run(sql, at, attemptId);
}

/** A row in the books of the embedded processor. */
export interface SandboxRow {
  readonly idempotencyKey: string;
  readonly reference: string;
  readonly siteKeyHash: string;
  readonly requestDigest: string;
  readonly amount: Money;
  readonly status: "authorized" | "declined" | "processing" | "released";
  readonly reason: string | null;
  readonly createdAt: number;
}

interface SandboxColumns {
  idempotency_key: string;
  reference: string;
  site_key_hash: string;
  request_digest: string;
  amount_minor: number;
  currency: string;
  status: SandboxRow["status"];
  reason: string | null;
  created_at: number;
}

export async function insertSandbox(tx: Transaction, row: SandboxRow): Promise<void> {
  await tx.insert("sandbox_authorizations", [
    {
      idempotency_key: row.idempotencyKey,
      reference: row.reference,
      site_key_hash: row.siteKeyHash,
      request_digest: row.requestDigest,
      amount_minor: row.amount.minor,
      currency: row.amount.currency,
      status: row.status,
      reason: row.reason,
      created_at: row.createdAt,
    },
  ]);
}

export async function sandboxByKey(
  db: Queries,
  siteKeyHash: string,
  key: string,
): Promise<SandboxRow | undefined> {
  const row = await db.get<SandboxColumns>(
    "SELECT * FROM sandbox_authorizations WHERE idempotency_key = ? AND site_key_hash = ?",
    ...[key, siteKeyHash],
  );
  if (row === undefined) return undefined;
  return {
    idempotencyKey: row.idempotency_key,
    reference: row.reference,
    siteKeyHash: row.site_key_hash,
    requestDigest: row.request_digest,
    amount: { minor: row.amount_minor, currency: row.currency },
    status: row.status,
    reason: row.reason,
    createdAt: row.created_at,
  };
}

/** Gives an authorization up; where there is none yet, none can come any more. */
export async function releaseSandbox(
  tx: Transaction,
  {
    siteKeyHash,
    key,
    now,
  }: { readonly siteKeyHash: string; readonly key: string; readonly now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO sandbox_authorizations (idempotency_key, reference, site_key_hash, request_digest,
       amount_minor, currency, status, reason, created_at)
     VALUES (?, ?, ?, '', 0, '', 'released', 'released', ?)
     ON CONFLICT (idempotency_key) DO UPDATE SET
       status = CASE WHEN sandbox_authorizations.status IN ('authorized', 'processing')
         THEN 'released' ELSE sandbox_authorizations.status END,
       reason = CASE WHEN sandbox_authorizations.status IN ('authorized', 'processing')
         THEN 'released' ELSE sandbox_authorizations.reason END`,
    ...[key, `none_${key}`, siteKeyHash, now],
  );
}

export async function endProcessing(
  tx: Transaction,
  siteKeyHash: string,
  key: string,
): Promise<void> {
  await tx.run(
    `UPDATE sandbox_authorizations SET status = 'authorized', reason = NULL
     WHERE idempotency_key = ? AND site_key_hash = ? AND status = 'processing'`,
    ...[key, siteKeyHash],
  );
}
