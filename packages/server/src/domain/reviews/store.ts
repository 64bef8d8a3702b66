import type { Queries, Transaction } from "../../infra/db/database.js";
import { countRows, deleterOf, equals } from "../../infra/db/statements.js";
import { flag, json, type ListPage, Table } from "../../infra/db/table.js";
import { REVIEW_TOPIC, type Review, type ReviewStatus } from "./review.js";

const reviews = new Table<Review>("reviews", {
  escalationId: "escalation_id",
  siteKeyHash: "site_key_hash",
  decisionId: "decision_id",
  actorId: "actor_id",
  identity: "identity",
  pooled: flag("pooled"),
  mandateId: "mandate_id",
  status: "status",
  ruleId: "rule_id",
  request: json("request"),
  sealedToken: "sealed_token",
  recordId: "record_id",
  approvalsNeeded: "approvals_needed",
  approvedBy: json("approved_by"),
  createdAt: "created_at",
  expiresAt: "expires_at",
  decidedAt: "decided_at",
  decidedBy: "decided_by",
  reasonCode: "reason_code",
  note: "note",
  decidedRecordId: "decided_record_id",
});

export async function insertReview(tx: Transaction, review: Review): Promise<void> {
  await reviews.insert(tx, [review]);
  tx.announce(REVIEW_TOPIC, review.siteKeyHash);
}

const PENDING = "escalation_id = ? AND status = 'pending'";

/** Writes who has approved so far. */
export async function writeApprovals(tx: Transaction, review: Review): Promise<void> {
  await reviews.update(tx, reviews.rowOf(review), ["approved_by"], PENDING, review.escalationId);
  tx.announce(REVIEW_TOPIC, review.siteKeyHash);
}

/** Writes the end of a review and erases its token. Only a pending review can be decided. */
export async function writeReviewEnd(tx: Transaction, review: Review): Promise<boolean> {
  const ended = reviews.rowOf({ ...review, sealedToken: null });
  const columns = [
    "status",
    "decided_at",
    "decided_by",
    "reason_code",
    "note",
    "decided_record_id",
    "approved_by",
    "sealed_token",
  ];
  const changed = await reviews.update(tx, ended, columns, PENDING, review.escalationId);
  if (changed === 1) tx.announce(REVIEW_TOPIC, review.siteKeyHash);
  return changed === 1;
}

interface PayingEnd {
  readonly status: "approved" | "payment_failed";
  /** Why it was not paid. */
  readonly reasonCode?: string | undefined;
}

/** Writes the outcome of a review that was waiting for its payment. */
export async function endPaying(
  tx: Transaction,
  { siteKeyHash, escalationId }: Pick<Review, "siteKeyHash" | "escalationId">,
  { status, reasonCode }: PayingEnd,
): Promise<void> {
  const sql =
    "UPDATE reviews SET status = ?, reason_code = ? WHERE escalation_id = ? AND status = 'paying'";
  const changed = await tx.run(sql, status, reasonCode ?? null, escalationId);
  if (changed !== 1) throw new Error("a payment ended for a review that was not waiting for it");
  tx.announce(REVIEW_TOPIC, siteKeyHash);
}

/** Opens a review again whose payment was not requested. Returns false if it was not waiting for one. */
export async function writeReopened(tx: Transaction, review: Review): Promise<boolean> {
  const columns = [
    "status",
    "decided_at",
    "decided_by",
    "note",
    "decided_record_id",
    "approved_by",
    "sealed_token",
  ];
  const paying = "escalation_id = ? AND status = 'paying'";
  const row = reviews.rowOf(review);
  const changed = await reviews.update(tx, row, columns, paying, review.escalationId);
  if (changed === 1) tx.announce(REVIEW_TOPIC, review.siteKeyHash);
  return changed === 1;
}

export const reviewById = reviews.ofSiteBy("escalation_id");

/** The reviews of a site with these ids. */
export function reviewsAmong(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<Review[]> {
  return reviews.among(db, siteKeyHash, "escalation_id", ids);
}

export const reviewOfDecision = reviews.ofSiteBy("decision_id");

const marksOf = (ids: readonly string[]) => ids.map(() => "?").join(", ");

/** The reviews of some decisions of a site. */
export async function reviewsOfDecisions(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<Review[]> {
  if (ids.length === 0) return [];
  const rest = `WHERE site_key_hash = ? AND decision_id IN (${marksOf(ids)}) ORDER BY created_at`;
  return reviews.all(db, rest, siteKeyHash, ...ids);
}

/** Erases what reviewers wrote about some decisions. Returns how many notes there were. */
export async function eraseReviewNotes(
  tx: Transaction,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const sql = `UPDATE reviews SET note = NULL
    WHERE site_key_hash = ? AND decision_id IN (${marksOf(ids)}) AND note IS NOT NULL`;
  return tx.run(sql, siteKeyHash, ...ids);
}

/** Reviews of a site, in order of creation. */
export function listReviews(
  db: Queries,
  siteKeyHash: string,
  status: ReviewStatus | undefined,
  page: ListPage,
): Promise<Review[]> {
  const where = [equals("site_key_hash", siteKeyHash), equals("status", status)];
  return reviews.page(db, where, { by: ["created_at", "escalation_id"], newestFirst: false }, page);
}

/** When reviews created since a time were approved, by decision. Reviews whose payment failed are left out. */
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

/** Pending reviews of all sites that have expired. */
export function lateReviews(db: Queries, now: number, limit: number): Promise<Review[]> {
  const rest = "WHERE status = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?";
  return reviews.all(db, rest, now, limit);
}

export const deleteReviews = deleterOf("reviews");

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
export function countWaiting(db: Queries): Promise<number> {
  return countRows(db, "reviews WHERE status = 'pending'");
}
