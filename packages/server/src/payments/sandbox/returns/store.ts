import type { Queries, Transaction } from "../../../infra/db/database.js";

/** Money that an owner rehearses to give back, or a bank to take back. */
export interface SandboxReturn {
  /** `re_…` or `dp_…`, as Stripe names them. */
  readonly returnId: string;
  /** The authorization it is of. */
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

export async function insertReturn(tx: Transaction, made: SandboxReturn): Promise<void> {
  await tx.insert("sandbox_returns", [
    {
      return_id: made.returnId,
      reference: made.reference,
      kind: made.kind,
      status: made.status,
      amount_minor: made.amountMinor,
      created_at: made.createdAt,
    },
  ]);
}

/** Ends the disputes of an authorization that are open; how many there were. */
export function endDisputes(
  tx: Transaction,
  reference: string,
  status: SandboxReturn["status"],
): Promise<number> {
  const sql = `UPDATE sandbox_returns SET status = ?
    WHERE reference = ? AND kind = 'dispute' AND status = 'pending'`;
  return tx.run(sql, status, reference);
}

/** Takes what is authorized, or lets it lapse; false where it is not authorized any more. */
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

/** Holds an authorization until the transaction ends. */
export async function holdAuthorization(tx: Transaction, reference: string): Promise<void> {
  await tx.lock("SELECT reference FROM sandbox_authorizations WHERE reference = ?", reference);
}
