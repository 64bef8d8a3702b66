import type { Queries, Transaction } from "../../infra/db/database.js";
import { REVIEW_TOPIC, type Review, type ReviewedRequest, type ReviewStatus } from "./review.js";

interface Row {
  escalation_id: string;
  site_key_hash: string;
  decision_id: string;
  actor_id: string;
  identity: string;
  pooled: number;
  mandate_id: string;
  status: ReviewStatus;
  rule_id: string;
  request: string;
  sealed_token: string | null;
  record_id: string;
  approvals_needed: number;
  approved_by: string;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  reason_code: string | null;
  note: string | null;
  decided_record_id: string | null;
}

function reviewOf(row: Row): Review {
  return Object.freeze({
    escalationId: row.escalation_id,
    siteKeyHash: row.site_key_hash,
    decisionId: row.decision_id,
    actorId: row.actor_id,
    identity: row.identity,
    pooled: row.pooled === 1,
    mandateId: row.mandate_id,
    status: row.status,
    ruleId: row.rule_id,
    request: JSON.parse(row.request) as ReviewedRequest,
    sealedToken: row.sealed_token,
    recordId: row.record_id,
    approvalsNeeded: row.approvals_needed,
    approvedBy: JSON.parse(row.approved_by) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    reasonCode: row.reason_code,
    note: row.note,
    decidedRecordId: row.decided_record_id,
  });
}

export async function insertReview(tx: Transaction, review: Review): Promise<void> {
  await tx.insert("reviews", [
    {
      escalation_id: review.escalationId,
      site_key_hash: review.siteKeyHash,
      decision_id: review.decisionId,
      actor_id: review.actorId,
      identity: review.identity,
      pooled: review.pooled ? 1 : 0,
      mandate_id: review.mandateId,
      status: review.status,
      rule_id: review.ruleId,
      request: JSON.stringify(review.request),
      sealed_token: review.sealedToken,
      record_id: review.recordId,
      approvals_needed: review.approvalsNeeded,
      approved_by: JSON.stringify(review.approvedBy),
      created_at: review.createdAt,
      expires_at: review.expiresAt,
    },
  ]);
  await tx.announce(REVIEW_TOPIC, review.siteKeyHash);
}

/** Writes who has said yes so far. */
export async function writeApprovals(tx: Transaction, review: Review): Promise<void> {
  await tx.run(
    "UPDATE reviews SET approved_by = ? WHERE escalation_id = ? AND status = 'pending'",
    JSON.stringify(review.approvedBy),
    review.escalationId,
  );
  await tx.announce(REVIEW_TOPIC, review.siteKeyHash);
}

/** Writes the end of a review. Only a pending review can be decided. */
export async function writeReviewEnd(tx: Transaction, review: Review): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE reviews SET status = ?, decided_at = ?, decided_by = ?, reason_code = ?, note = ?,
       decided_record_id = ?, approved_by = ?, sealed_token = NULL WHERE escalation_id = ? AND status = 'pending'`,
    review.status,
    review.decidedAt,
    review.decidedBy,
    review.reasonCode,
    review.note,
    review.decidedRecordId,
    JSON.stringify(review.approvedBy),
    review.escalationId,
  );
  if (changed === 1) await tx.announce(REVIEW_TOPIC, review.siteKeyHash);
  return changed === 1;
}

interface PayingEnd {
  readonly status: "approved" | "payment_failed";
  /** Why it was not paid. */
  readonly reasonCode?: string | undefined;
}

/** Writes what became of a review that was waiting for its payment. */
export async function endPaying(
  tx: Transaction,
  { siteKeyHash, escalationId }: Pick<Review, "siteKeyHash" | "escalationId">,
  { status, reasonCode }: PayingEnd,
): Promise<void> {
  const sql =
    "UPDATE reviews SET status = ?, reason_code = ? WHERE escalation_id = ? AND status = 'paying'";
  const changed = await tx.run(sql, status, reasonCode ?? null, escalationId);
  if (changed !== 1) throw new Error("a payment ended for a review that was not waiting for it");
  await tx.announce(REVIEW_TOPIC, siteKeyHash);
}

export async function reviewById(
  db: Queries,
  siteKeyHash: string,
  escalationId: string,
): Promise<Review | undefined> {
  const sql = "SELECT * FROM reviews WHERE escalation_id = ? AND site_key_hash = ?";
  const row = await db.get<Row>(sql, escalationId, siteKeyHash);
  return row && reviewOf(row);
}

export async function reviewOfDecision(
  db: Queries,
  siteKeyHash: string,
  decisionId: string,
): Promise<Review | undefined> {
  const sql = "SELECT * FROM reviews WHERE site_key_hash = ? AND decision_id = ?";
  const row = await db.get<Row>(sql, siteKeyHash, decisionId);
  return row && reviewOf(row);
}

/** Reviews of a site, in order of creation. */
export async function listReviews(
  db: Queries,
  siteKeyHash: string,
  status: ReviewStatus | undefined,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Review[]> {
  const { createdAt, id } = page.after ?? { createdAt: -1, id: "" };
  const rows = await db.all<Row>(
    `SELECT * FROM reviews WHERE site_key_hash = ? AND (created_at, escalation_id) > (?, ?)
       AND (CAST(? AS TEXT) IS NULL OR status = ?)
     ORDER BY created_at, escalation_id LIMIT ?`,
    siteKeyHash,
    createdAt,
    id,
    status ?? null,
    status ?? null,
    page.limit,
  );
  return rows.map(reviewOf);
}

/** When people approved what was given to them from a moment on, by decision; what was not paid is left out. */
export async function approvalsSince(
  db: Queries,
  siteKeyHash: string,
  since: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ decision_id: string; decided_at: number }>(
    `SELECT decision_id, decided_at FROM reviews
     WHERE site_key_hash = ? AND created_at >= ? AND status IN ('approved', 'paying')`,
    siteKeyHash,
    since,
  );
  return new Map(rows.map(({ decision_id, decided_at }) => [decision_id, decided_at]));
}

/** Reviews nobody has decided in time, of all sites. */
export async function lateReviews(db: Queries, now: number, limit: number): Promise<Review[]> {
  const sql =
    "SELECT * FROM reviews WHERE status = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?";
  return (await db.all<Row>(sql, now, limit)).map(reviewOf);
}

export async function deleteReviews(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM reviews WHERE site_key_hash = ?", siteKeyHash);
}

/** The number of pending reviews: of one identity, and of the pool of platforms not admitted. */
export async function countPending(
  db: Queries,
  siteKeyHash: string,
  identity: string,
): Promise<{ readonly own: number; readonly pooled: number }> {
  const row = await db.get<{ own: number | null; pooled: number | null }>(
    `SELECT SUM(CASE WHEN identity = ? THEN 1 ELSE 0 END) AS own, SUM(pooled) AS pooled
     FROM reviews WHERE site_key_hash = ? AND status = 'pending'`,
    identity,
    siteKeyHash,
  );
  return { own: Number(row?.own ?? 0), pooled: Number(row?.pooled ?? 0) };
}

/** The number of pending reviews of all sites. */
export async function countWaiting(db: Queries): Promise<number> {
  const sql = "SELECT COUNT(*) AS waiting FROM reviews WHERE status = 'pending'";
  return Number((await db.get<{ waiting: number }>(sql))?.waiting ?? 0);
}
