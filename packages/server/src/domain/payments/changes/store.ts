import type { Queries, Transaction } from "../../../infra/db/database.js";
import { rowExists } from "../../../infra/db/statements.js";
import { AMOUNT, Table } from "../../../infra/db/table.js";
import type { PaymentChange } from "./change.js";

const changes = new Table<PaymentChange>("payment_changes", {
  changeId: "change_id",
  siteKeyHash: "site_key_hash",
  orderId: "order_id",
  attemptId: "attempt_id",
  kind: "kind",
  amount: AMOUNT,
  reason: "reason",
  requestedBy: "requested_by",
  shopEventId: "shop_event_id",
  status: "status",
  failure: "failure",
  requestedAt: "requested_at",
  endedAt: "ended_at",
  tries: "tries",
  nextAt: "next_at",
});

export function insertChange(tx: Transaction, change: PaymentChange): Promise<void> {
  return changes.insert(tx, [change]);
}

export const changeById = changes.by("change_id");

/** In the order in which they were requested. */
export function changesOf(db: Queries, orderId: string): Promise<PaymentChange[]> {
  return changes.all(db, "WHERE order_id = ? ORDER BY requested_at, change_id", orderId);
}

/** Whether the outcome of a capture or refund of a site is not known yet. */
export function hasPendingChanges(db: Queries, siteKeyHash: string): Promise<boolean> {
  const from = "payment_changes WHERE site_key_hash = ? AND status IN ('requested', 'unknown')";
  return rowExists(db, from, siteKeyHash);
}

export async function writeChange(tx: Transaction, change: PaymentChange): Promise<void> {
  const columns = ["status", "failure", "ended_at", "next_at"];
  await changes.update(tx, changes.rowOf(change), columns, "change_id = ?", change.changeId);
}

/** Captures and refunds of all sites that the provider has to be asked about again. */
export function dueChanges(db: Queries, now: number, limit: number): Promise<PaymentChange[]> {
  return changes.all(db, "WHERE next_at <= ? ORDER BY next_at LIMIT ?", now, limit);
}

/** Claims a change until a time. Returns false if another process was faster. */
export async function claimChange(
  tx: Transaction,
  { changeId, nextAt }: PaymentChange,
  until: number,
): Promise<boolean> {
  const sql =
    "UPDATE payment_changes SET next_at = ?, tries = tries + 1 WHERE change_id = ? AND next_at = ?";
  return (await tx.run(sql, until, changeId, nextAt)) === 1;
}

/** Erases why an owner captured or refunded, and returns the words, which stand elsewhere too. */
export async function eraseReasonsOfOrder(tx: Transaction, orderId: string): Promise<string[]> {
  const reasons = (await changesOf(tx, orderId)).map(({ reason }) => reason);
  await tx.run("UPDATE payment_changes SET reason = NULL WHERE order_id = ?", orderId);
  return reasons.filter((reason) => reason !== null);
}

/** Deletes what owners wrote. What happened to the money stays. */
export async function deleteChangeReasons(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("UPDATE payment_changes SET reason = NULL WHERE site_key_hash = ?", siteKeyHash);
}
