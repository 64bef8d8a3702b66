import type { Queries, Transaction } from "../../infra/db/database.js";
import { addToBuckets } from "./budgets/store.js";
import { countDecision, recountDecision } from "./counts/store.js";
import { type Decision, isSpent, type Span, type StoredAnswer } from "./decision.js";

interface Row {
  decision_id: string;
  site_key_hash: string;
  actor_id: string;
  identity: string;
  pooled: number;
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
  spent_at: number | null;
  answer: string;
}

function decisionOf(row: Row): Decision {
  const { amount_minor: minor, currency } = row;
  return Object.freeze({
    decisionId: row.decision_id,
    siteKeyHash: row.site_key_hash,
    actorId: row.actor_id,
    identity: row.identity,
    pooled: row.pooled === 1,
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
    spentAt: row.spent_at,
    answer: JSON.parse(row.answer) as StoredAnswer,
  });
}

/** Writes a decision and adds it to the counters. */
export async function insertDecision(
  tx: Transaction,
  draft: Omit<Decision, "spentAt">,
): Promise<void> {
  const decision = { ...draft, spentAt: isSpent(draft) ? draft.evaluatedAt : null };
  const { amount } = decision;
  await tx.insert("decisions", [
    {
      decision_id: decision.decisionId,
      site_key_hash: decision.siteKeyHash,
      actor_id: decision.actorId,
      identity: decision.identity,
      pooled: decision.pooled ? 1 : 0,
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
      spent_at: decision.spentAt,
      answer: JSON.stringify(decision.answer),
    },
  ]);
  const minor = decision.spentAt === null ? 0 : (amount?.minor ?? 0);
  await addToBuckets(tx, decision, decision.evaluatedAt, { minor, decisions: 1 });
  await countDecision(tx, decision);
}

/** The decision about a mandate; undefined if it was not received before. */
export async function decisionOfMandate(
  db: Queries,
  siteKeyHash: string,
  actorId: string,
  mandateId: string,
): Promise<Decision | undefined> {
  const row = await db.get<Row>(
    "SELECT * FROM decisions WHERE site_key_hash = ? AND actor_id = ? AND mandate_id = ?",
    siteKeyHash,
    actorId,
    mandateId,
  );
  return row && decisionOf(row);
}

export async function decisionById(db: Queries, decisionId: string): Promise<Decision | undefined> {
  const row = await db.get<Row>("SELECT * FROM decisions WHERE decision_id = ?", decisionId);
  return row && decisionOf(row);
}

/**
 * Writes a new outcome of a decision. Its money counts as spent from the request for payment, which
 * may be hours after the mandate. It no longer counts if the payment fails.
 */
export async function moveDecision(
  tx: Transaction,
  before: Decision,
  after: Pick<Decision, "outcome" | "reason" | "answer">,
  now: number,
): Promise<void> {
  const { decisionId, amount, skill } = before;
  const spends = isSpent({ outcome: after.outcome, skill });
  const spentAt = spends ? (before.spentAt ?? now) : null;
  await tx.run(
    "UPDATE decisions SET outcome = ?, reason = ?, answer = ?, spent_at = ? WHERE decision_id = ?",
    after.outcome,
    after.reason,
    JSON.stringify(after.answer),
    spentAt,
    decisionId,
  );
  if (amount !== null && spentAt !== before.spentAt) {
    const minor = spentAt === null ? -amount.minor : amount.minor;
    await addToBuckets(tx, before, spentAt ?? before.spentAt ?? now, { minor, decisions: 0 });
  }
  // After the buckets, as in insertDecision: all writers take rows in the same order.
  await recountDecision(tx, before, after.outcome);
}

export interface DecisionFilter extends Span {
  readonly outcome: string | undefined;
  readonly actorId: string | undefined;
  readonly mandateId: string | undefined;
  readonly checkout: DecidedCheckout | undefined;
}

/** The decisions about one checkout. */
interface DecidedCheckout {
  readonly checkoutId: string;
  /** The decision about its last try, which a mandate may have made; null if unknown. */
  readonly decisionId: string | null;
}

/**
 * Only the mandate ids of platforms contain the checkout id. An agent chooses its ids freely, so
 * they prove nothing.
 */
const OF_CHECKOUT = `(CAST(? AS TEXT) IS NULL OR decision_id = ?
         OR (protocol = 'ucp' AND SUBSTR(mandate_id, 1, LENGTH(CAST(? AS TEXT))) = ?))`;

export async function listDecisions(
  db: Queries,
  siteKeyHash: string,
  { outcome, actorId, mandateId, checkout, from, to }: DecisionFilter,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Decision[]> {
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: "" };
  // Only the nearer bound: with both, the database may scan from the farther one.
  const { createdAt, id } =
    page.after !== null && page.after.createdAt < end.createdAt ? page.after : end;
  const tries = checkout === undefined ? null : `${checkout.checkoutId}-`;
  const rows = await db.all<Row>(
    `SELECT * FROM decisions WHERE site_key_hash = ? AND (evaluated_at, decision_id) < (?, ?)
       AND evaluated_at >= ? AND (CAST(? AS TEXT) IS NULL OR outcome = ?)
       AND (CAST(? AS TEXT) IS NULL OR actor_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR mandate_id = ?) AND ${OF_CHECKOUT}
     ORDER BY evaluated_at DESC, decision_id DESC LIMIT ?`,
    siteKeyHash,
    createdAt,
    id,
    from ?? 0,
    outcome ?? null,
    outcome ?? null,
    actorId ?? null,
    actorId ?? null,
    mandateId ?? null,
    mandateId ?? null,
    tries,
    checkout?.decisionId ?? null,
    tries,
    tries,
    page.limit,
  );
  return rows.map(decisionOf);
}

/** Deletes the decisions of a site that is being deleted. Its audit log stays. */
export async function deleteDecisions(tx: Transaction, siteKeyHash: string): Promise<void> {
  for (const table of [
    "decisions",
    "decision_hours",
    "decision_minutes",
    "outcome_hours",
    "outcome_agent_days",
    "agent_failures",
    "agent_locks",
  ]) {
    await tx.run(`DELETE FROM ${table} WHERE site_key_hash = ?`, siteKeyHash);
  }
}

/** The last decisions of a site, the oldest first. */
export async function lastDecisions(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<Decision[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM decisions WHERE site_key_hash = ?
     ORDER BY evaluated_at DESC, decision_id DESC LIMIT ?`,
    siteKeyHash,
    limit,
  );
  return rows.map(decisionOf).reverse();
}
