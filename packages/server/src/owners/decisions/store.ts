import type { Queries, Transaction } from "../../platform/db/database.js";
import { type Decision, HOUR_MS, isSpent, type StoredAnswer } from "./decision.js";

interface Row {
  decision_id: string;
  site_key_hash: string;
  actor_id: string;
  mandate_id: string;
  digest: string;
  skill: string;
  protocol: string;
  amount_minor: number | null;
  currency: string | null;
  outcome: Decision["outcome"];
  reason: string | null;
  rule_id: string | null;
  rules_evaluated: number;
  policy_version: number | null;
  record_id: string;
  evaluated_at: number;
  answer: string;
}

function decisionOf(row: Row): Decision {
  const { amount_minor: minor, currency } = row;
  return Object.freeze({
    decisionId: row.decision_id,
    siteKeyHash: row.site_key_hash,
    actorId: row.actor_id,
    mandateId: row.mandate_id,
    digest: row.digest,
    skill: row.skill,
    protocol: row.protocol,
    amount: minor === null || currency === null ? null : { minor, currency },
    outcome: row.outcome,
    reason: row.reason,
    ruleId: row.rule_id,
    rulesEvaluated: row.rules_evaluated,
    policyVersion: row.policy_version,
    recordId: row.record_id,
    evaluatedAt: row.evaluated_at,
    answer: JSON.parse(row.answer) as StoredAnswer,
  });
}

/** Writes a decision and what it adds to its hour. */
export async function insertDecision(tx: Transaction, decision: Decision): Promise<void> {
  const { amount } = decision;
  await tx.insert("decisions", [
    {
      decision_id: decision.decisionId,
      site_key_hash: decision.siteKeyHash,
      actor_id: decision.actorId,
      mandate_id: decision.mandateId,
      digest: decision.digest,
      skill: decision.skill,
      protocol: decision.protocol,
      amount_minor: amount?.minor ?? null,
      currency: amount?.currency ?? null,
      outcome: decision.outcome,
      reason: decision.reason,
      rule_id: decision.ruleId,
      rules_evaluated: decision.rulesEvaluated,
      policy_version: decision.policyVersion,
      record_id: decision.recordId,
      evaluated_at: decision.evaluatedAt,
      answer: JSON.stringify(decision.answer),
    },
  ]);
  const spent = isSpent(decision) ? (amount?.minor ?? 0) : 0;
  const hour = decision.evaluatedAt - (decision.evaluatedAt % HOUR_MS);
  await tx.run(
    `INSERT INTO decision_hours (site_key_hash, hour, actor_id, currency, minor, decisions)
     VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT (site_key_hash, hour, actor_id, currency)
     DO UPDATE SET minor = decision_hours.minor + ?, decisions = decision_hours.decisions + 1`,
    ...[decision.siteKeyHash, hour, decision.actorId, amount?.currency ?? "", spent, spent],
  );
}

/** The decision about a mandate, if it was claimed before. */
export async function decisionOfMandate(
  db: Queries,
  siteKeyHash: string,
  actorId: string,
  mandateId: string,
): Promise<Decision | undefined> {
  const row = await db.get<Row>(
    "SELECT * FROM decisions WHERE site_key_hash = ? AND actor_id = ? AND mandate_id = ?",
    ...[siteKeyHash, actorId, mandateId],
  );
  return row && decisionOf(row);
}

export async function decisionById(db: Queries, decisionId: string): Promise<Decision | undefined> {
  const row = await db.get<Row>("SELECT * FROM decisions WHERE decision_id = ?", decisionId);
  return row && decisionOf(row);
}

/**
 * Writes what a decision has come to since. What is approved counts as spent in the hour it was
 * asked for: that is the window its budget was looked at in. What was not paid after all counts no
 * more.
 */
export async function moveDecision(
  tx: Transaction,
  before: Decision,
  after: Pick<Decision, "outcome" | "reason" | "answer">,
): Promise<void> {
  const { decisionId, siteKeyHash, actorId, amount, evaluatedAt } = before;
  await tx.run(
    "UPDATE decisions SET outcome = ?, reason = ?, answer = ? WHERE decision_id = ?",
    ...[after.outcome, after.reason, JSON.stringify(after.answer), decisionId],
  );
  if (amount === null || isSpent(before) === isSpent(after)) return;
  const change = isSpent(after) ? amount.minor : -amount.minor;
  await tx.run(
    `UPDATE decision_hours SET minor = minor + ?
     WHERE site_key_hash = ? AND hour = ? AND actor_id = ? AND currency = ?`,
    ...[change, siteKeyHash, evaluatedAt - (evaluatedAt % HOUR_MS), actorId, amount.currency],
  );
}

interface DecisionFilter {
  readonly outcome: string | undefined;
  readonly actorId: string | undefined;
  readonly mandateId: string | undefined;
}

/** Decisions of a site, the newest first. */
export async function listDecisions(
  db: Queries,
  siteKeyHash: string,
  { outcome, actorId, mandateId }: DecisionFilter,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Decision[]> {
  const { createdAt, id } = page.after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
  const rows = await db.all<Row>(
    `SELECT * FROM decisions WHERE site_key_hash = ? AND (evaluated_at, decision_id) < (?, ?)
       AND (CAST(? AS TEXT) IS NULL OR outcome = ?) AND (CAST(? AS TEXT) IS NULL OR actor_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR mandate_id = ?)
     ORDER BY evaluated_at DESC, decision_id DESC LIMIT ?`,
    ...[siteKeyHash, createdAt, id, outcome ?? null, outcome ?? null],
    ...[actorId ?? null, actorId ?? null, mandateId ?? null, mandateId ?? null, page.limit],
  );
  return rows.map(decisionOf);
}

/** Whose decisions are counted: one actor's, or all of a site. */
interface Counted {
  readonly siteKeyHash: string;
  readonly actorId: string | null;
  /** After this moment. */
  readonly since: number;
}

/**
 * How many decisions there were, and what was spent in each currency. Whole hours come from their
 * counts; of the hour the window begins in, the decisions themselves are counted.
 */
export async function countDecisions(
  tx: Queries,
  { siteKeyHash, actorId, since }: Counted,
): Promise<{ decisions: number; spent: ReadonlyMap<string, number> }> {
  const whole = since - (since % HOUR_MS) + HOUR_MS;
  type Sum = { currency: string; minor: number; decisions: number };
  const mine = "(CAST(? AS TEXT) IS NULL OR actor_id = ?)";
  const hours = await tx.all<Sum>(
    `SELECT currency, SUM(minor) AS minor, SUM(decisions) AS decisions FROM decision_hours
     WHERE site_key_hash = ? AND hour >= ? AND ${mine} GROUP BY currency`,
    ...[siteKeyHash, whole, actorId, actorId],
  );
  const first = await tx.all<Sum>(
    `SELECT COALESCE(currency, '') AS currency, COUNT(*) AS decisions,
       SUM(CASE WHEN outcome IN ('approved', 'paying') THEN COALESCE(amount_minor, 0) ELSE 0 END) AS minor
     FROM decisions
     WHERE site_key_hash = ? AND evaluated_at > ? AND evaluated_at < ? AND ${mine}
     GROUP BY COALESCE(currency, '')`,
    ...[siteKeyHash, since, whole, actorId, actorId],
  );
  const spent = new Map<string, number>();
  let decisions = 0;
  for (const sum of [...hours, ...first]) {
    decisions += Number(sum.decisions);
    spent.set(sum.currency, (spent.get(sum.currency) ?? 0) + Number(sum.minor));
  }
  return { decisions, spent };
}

/** With the site what was decided for it is gone; its log is not. */
export async function deleteDecisions(tx: Transaction, siteKeyHash: string): Promise<void> {
  for (const table of ["decisions", "decision_hours", "agent_failures", "agent_locks"]) {
    await tx.run(`DELETE FROM ${table} WHERE site_key_hash = ?`, siteKeyHash);
  }
}

/** The last decisions of a site, the oldest of them first. */
export async function lastDecisions(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<Decision[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM decisions WHERE site_key_hash = ?
     ORDER BY evaluated_at DESC, decision_id DESC LIMIT ?`,
    ...[siteKeyHash, limit],
  );
  return rows.map(decisionOf).reverse();
}
