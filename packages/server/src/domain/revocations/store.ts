import type { Queries, Transaction } from "../../infra/db/database.js";
import type { Revocation } from "./revocation.js";

/** The topic for new revocations, so that every node keeps them. */
export const REVOCATION_TOPIC = "revocations";

/**
 * Stores a revocation in the transaction that revokes. Idempotent. The later time counts, because a
 * platform may be admitted and suspended again.
 */
export async function insertRevocations(
  tx: Transaction,
  revocations: readonly Revocation[],
): Promise<void> {
  for (const { kind, id, revokedAt } of revocations) {
    await tx.run(
      `INSERT INTO revocations (kind, id, revoked_at) VALUES (?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET revoked_at = excluded.revoked_at
       WHERE excluded.revoked_at > revocations.revoked_at`,
      kind,
      id,
      revokedAt,
    );
  }
  if (revocations.length > 0) await tx.announce(REVOCATION_TOPIC, "*");
}

/** Whether something was revoked, even if a restored database no longer has it. */
export async function isRevoked(
  db: Queries,
  { kind, id }: Pick<Revocation, "kind" | "id">,
): Promise<boolean> {
  const sql = "SELECT id FROM revocations WHERE kind = ? AND id = ?";
  return (await db.get(sql, kind, id)) !== undefined;
}

export async function allRevocations(db: Queries): Promise<Revocation[]> {
  const rows = await db.all<{ kind: Revocation["kind"]; id: string; revoked_at: number }>(
    "SELECT kind, id, revoked_at FROM revocations ORDER BY revoked_at, kind, id",
  );
  return rows.map(({ kind, id, revoked_at }) => ({ kind, id, revokedAt: revoked_at }));
}
