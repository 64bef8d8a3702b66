import type { Money } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { AMOUNT, Table } from "../../infra/db/table.js";

/** An authorization of the sandbox. */
export interface SandboxRow {
  readonly idempotencyKey: string;
  readonly reference: string;
  readonly siteKeyHash: string;
  readonly requestDigest: string;
  readonly amount: Money;
  readonly status:
    | ("authorized" | "declined" | "processing" | "challenged")
    | ("released" | "captured" | "lapsed");
  readonly reason: string | null;
  readonly returnUrl: string | null;
  /** When the page closes on which its buyer pays; null if it is paid with a token. */
  readonly closesAt: number | null;
  /** The captured amount. */
  readonly capturedMinor: number | null;
  readonly createdAt: number;
}

const authorizations = new Table<SandboxRow>("sandbox_authorizations", {
  idempotencyKey: "idempotency_key",
  reference: "reference",
  siteKeyHash: "site_key_hash",
  requestDigest: "request_digest",
  amount: AMOUNT,
  status: "status",
  reason: "reason",
  returnUrl: "return_url",
  closesAt: "closes_at",
  capturedMinor: "captured_minor",
  createdAt: "created_at",
});

export function insertSandbox(tx: Transaction, row: SandboxRow): Promise<void> {
  return authorizations.insert(tx, [row]);
}

export const sandboxByKey = authorizations.ofSiteBy("idempotency_key");
export const sandboxByReference = authorizations.by("reference");

/** Locks an authorization until the transaction ends. */
export function lockAuthorization(
  tx: Transaction,
  reference: string,
): Promise<SandboxRow | undefined> {
  return authorizations.lock(tx, "WHERE reference = ?", reference);
}

/** Writes the buyer's answer to a challenge. A payment that has ended does not change. */
export async function endChallenge(
  tx: Transaction,
  reference: string,
  { confirmed, now }: { readonly confirmed: boolean; readonly now: number },
): Promise<void> {
  await tx.run(
    `UPDATE sandbox_authorizations SET status = ?, reason = ?
     WHERE reference = ? AND status = 'challenged' AND (closes_at IS NULL OR closes_at > ?)`,
    ...(confirmed ? ["authorized", null] : ["declined", "authentication_required"]),
    reference,
    now,
  );
}

/** Voids an authorization. If there is none yet, a later request with this key cannot create one. */
export async function voidSandbox(
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
       status = CASE WHEN sandbox_authorizations.status IN ('authorized', 'processing', 'challenged')
         THEN 'released' ELSE sandbox_authorizations.status END,
       reason = CASE WHEN sandbox_authorizations.status IN ('authorized', 'processing', 'challenged')
         THEN 'released' ELSE sandbox_authorizations.reason END`,
    key,
    `none_${key}`,
    siteKeyHash,
    now,
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
    key,
    siteKeyHash,
  );
}

/** A simulated refund or dispute. */
export interface SandboxReturn {
  /** `re_…` or `dp_…`, as Stripe names them. */
  readonly returnId: string;
  /** The reference of the authorization. */
  readonly reference: string;
  readonly kind: "refund" | "dispute";
  readonly status: "pending" | "completed" | "failed";
  readonly amountMinor: number;
  readonly createdAt: number;
}

const moneyReturns = new Table<SandboxReturn>("sandbox_returns", {
  returnId: "return_id",
  reference: "reference",
  kind: "kind",
  status: "status",
  amountMinor: "amount_minor",
  createdAt: "created_at",
});

export function returnsOf(db: Queries, reference: string): Promise<SandboxReturn[]> {
  return moneyReturns.all(db, "WHERE reference = ? ORDER BY created_at, return_id", reference);
}

/** What of a captured payment has not gone back. */
export async function capturedLeft(
  db: Queries,
  { reference, amount, capturedMinor }: SandboxRow,
): Promise<number> {
  const returns = await returnsOf(db, reference);
  return returns
    .filter(({ status }) => status !== "failed")
    .reduce((sum, { amountMinor }) => sum - amountMinor, capturedMinor ?? amount.minor);
}

export function insertReturn(tx: Transaction, moneyReturn: SandboxReturn): Promise<void> {
  return moneyReturns.insert(tx, [moneyReturn]);
}

/** Ends the open disputes of an authorization and returns their number. */
export function endDisputes(
  tx: Transaction,
  reference: string,
  status: SandboxReturn["status"],
): Promise<number> {
  const sql = `UPDATE sandbox_returns SET status = ?
    WHERE reference = ? AND kind = 'dispute' AND status = 'pending'`;
  return tx.run(sql, status, reference);
}

/** Captures an authorization or lets it expire; false if it has ended before. */
export async function endAuthorization(
  tx: Transaction,
  reference: string,
  {
    status,
    capturedMinor,
  }: { readonly status: "captured" | "lapsed"; readonly capturedMinor: number | null },
): Promise<boolean> {
  const sql = `UPDATE sandbox_authorizations SET status = ?, captured_minor = ?
    WHERE reference = ? AND status = 'authorized'`;
  return (await tx.run(sql, status, capturedMinor, reference)) === 1;
}
