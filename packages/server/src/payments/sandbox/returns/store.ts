import type { Queries, Transaction } from "../../../infra/db/database.js";

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

interface Row {
  return_id: string;
  reference: string;
  kind: SandboxReturn["kind"];
  status: SandboxReturn["status"];
  amount_minor: number;
  created_at: number;
}

export async function returnsOf(db: Queries, reference: string): Promise<SandboxReturn[]> {
  const sql = "SELECT * FROM sandbox_returns WHERE reference = ? ORDER BY created_at, return_id";
  return (await db.all<Row>(sql, reference)).map((row) => ({
    returnId: row.return_id,
    reference: row.reference,
    kind: row.kind,
    status: row.status,
    amountMinor: row.amount_minor,
    createdAt: row.created_at,
  }));
}

export async function insertReturn(tx: Transaction, moneyReturn: SandboxReturn): Promise<void> {
  await tx.insert("sandbox_returns", [
    {
      return_id: moneyReturn.returnId,
      reference: moneyReturn.reference,
      kind: moneyReturn.kind,
      status: moneyReturn.status,
      amount_minor: moneyReturn.amountMinor,
      created_at: moneyReturn.createdAt,
    },
  ]);
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

export async function lockAuthorization(tx: Transaction, reference: string): Promise<void> {
  await tx.lock("SELECT reference FROM sandbox_authorizations WHERE reference = ?", reference);
}
