import type { Queries, Transaction } from "../../../infra/db/database.js";

/** A row of audit_exports: the state that the parts of an export are made from. */
export interface SnapshotRow {
  readonly token_id: string;
  readonly chain: string;
  readonly day: string;
  readonly format: string;
  readonly first_seq: number;
  readonly count: number;
  readonly closed: number;
  readonly key_id: string;
  readonly expires_at: number;
}

export type SnapshotName = Pick<SnapshotRow, "token_id" | "chain" | "day" | "format">;

/** Replaces the snapshot of the same name, and deletes expired ones. */
export async function replaceSnapshot(
  tx: Transaction,
  row: SnapshotRow,
  now: number,
): Promise<void> {
  await tx.run(
    `DELETE FROM audit_exports
     WHERE expires_at <= ? OR (token_id = ? AND chain = ? AND day = ? AND format = ?)`,
    now,
    row.token_id,
    row.chain,
    row.day,
    row.format,
  );
  await tx.insert("audit_exports", [{ ...row }]);
}

export function snapshotByName(
  db: Queries,
  { token_id, chain, day, format }: SnapshotName,
  now: number,
): Promise<SnapshotRow | undefined> {
  return db.get<SnapshotRow>(
    `SELECT * FROM audit_exports
     WHERE token_id = ? AND chain = ? AND day = ? AND format = ? AND expires_at > ?`,
    token_id,
    chain,
    day,
    format,
    now,
  );
}
