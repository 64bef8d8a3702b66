import type { Money } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";

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
  /** The captured amount. */
  readonly capturedMinor: number | null;
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
  return_url: string | null;
  captured_minor: number | null;
  created_at: number;
}

function sandboxOf(row: SandboxColumns): SandboxRow {
  return {
    idempotencyKey: row.idempotency_key,
    reference: row.reference,
    siteKeyHash: row.site_key_hash,
    requestDigest: row.request_digest,
    amount: { minor: row.amount_minor, currency: row.currency },
    status: row.status,
    reason: row.reason,
    returnUrl: row.return_url,
    capturedMinor: row.captured_minor,
    createdAt: row.created_at,
  };
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
      return_url: row.returnUrl,
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
    key,
    siteKeyHash,
  );
  return row && sandboxOf(row);
}

export async function sandboxByReference(
  db: Queries,
  reference: string,
): Promise<SandboxRow | undefined> {
  const sql = "SELECT * FROM sandbox_authorizations WHERE reference = ?";
  const row = await db.get<SandboxColumns>(sql, reference);
  return row && sandboxOf(row);
}

/** Writes the buyer's answer to a challenge. A payment that has ended does not change. */
export async function endChallenge(
  tx: Transaction,
  reference: string,
  confirmed: boolean,
): Promise<void> {
  await tx.run(
    `UPDATE sandbox_authorizations SET status = ?, reason = ?
     WHERE reference = ? AND status = 'challenged'`,
    ...(confirmed ? ["authorized", null] : ["declined", "authentication_required"]),
    reference,
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
