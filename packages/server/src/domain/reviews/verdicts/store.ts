import type { JsonObject } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../../infra/db/database.js";
import { deleterOf } from "../../../infra/db/statements.js";
import { json, Table } from "../../../infra/db/table.js";
import { REVIEW_TOPIC } from "../review.js";

/** What somebody chose for a review. It takes effect at `dueAt`, unless it is undone before. */
export interface PlannedVerdict {
  readonly escalationId: string;
  readonly siteKeyHash: string;
  readonly verdict: "approve" | "deny";
  readonly reasonCode: string | null;
  readonly note: string | null;
  /** The actor as records name it. */
  readonly actor: JsonObject & { readonly id: string };
  readonly dueAt: number;
  /** Why it did not take effect; the review is still pending. */
  readonly problem: string | null;
}

const verdicts = new Table<PlannedVerdict>("review_verdicts", {
  escalationId: "escalation_id",
  siteKeyHash: "site_key_hash",
  verdict: "verdict",
  reasonCode: "reason_code",
  note: "note",
  actor: json("actor"),
  dueAt: "due_at",
  problem: "problem",
});

export const verdictById = verdicts.ofSiteBy("escalation_id");

/** Writes a verdict in place of an earlier one. */
export async function writeVerdict(tx: Transaction, verdict: PlannedVerdict): Promise<void> {
  await tx.run("DELETE FROM review_verdicts WHERE escalation_id = ?", verdict.escalationId);
  await verdicts.insert(tx, [verdict]);
  tx.announce(REVIEW_TOPIC, verdict.siteKeyHash);
}

type VerdictKey = Pick<PlannedVerdict, "siteKeyHash" | "escalationId" | "dueAt">;

const THIS = "WHERE site_key_hash = ? AND escalation_id = ? AND due_at = ?";

/** Lets nobody undo a verdict until this transaction ends; false if it was undone or replaced. */
export async function lockVerdict(
  tx: Transaction,
  { siteKeyHash, escalationId, dueAt }: VerdictKey,
): Promise<boolean> {
  const sql = `SELECT due_at FROM review_verdicts ${THIS}`;
  return (await tx.lock(sql, siteKeyHash, escalationId, dueAt)).length === 1;
}

/** Deletes a verdict; false if there is none, or another in its place. */
export async function deleteVerdict(
  tx: Transaction,
  { siteKeyHash, escalationId, dueAt }: VerdictKey,
): Promise<boolean> {
  const sql = `DELETE FROM review_verdicts ${THIS}`;
  const deleted = (await tx.run(sql, siteKeyHash, escalationId, dueAt)) === 1;
  if (deleted) tx.announce(REVIEW_TOPIC, siteKeyHash);
  return deleted;
}

/** Verdicts of all sites that are to take effect now. */
export function dueVerdicts(db: Queries, now: number, limit: number): Promise<PlannedVerdict[]> {
  const rest = "WHERE due_at <= ? AND problem IS NULL ORDER BY due_at, escalation_id LIMIT ?";
  return verdicts.all(db, rest, now, limit);
}

/** The verdicts of some reviews of a site. */
export async function verdictsAmong(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PlannedVerdict>> {
  const rows = await verdicts.among(db, siteKeyHash, "escalation_id", ids);
  return new Map(rows.map((verdict) => [verdict.escalationId, verdict]));
}

/** Deletes what did not take effect long ago. */
export async function deleteOldVerdicts(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM review_verdicts WHERE due_at <= ?", before);
}

export const deleteVerdicts = deleterOf("review_verdicts");
