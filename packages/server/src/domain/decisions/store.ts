import type { Queries, Transaction } from "../../infra/db/database.js";
import { countDecision, recountDecision } from "./counts/store.js";
import { type Decision, HOUR_MS, isSpent, type Span, type StoredAnswer } from "./decision.js";

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

const MINUTE_MS = 60_000;
const floor = (ms: number, unitMs: number) => ms - (ms % unitMs);

/** Counts are kept by the hour for ever, and by the minute for as long as rules look at minutes. */
const BUCKETS = [
  { table: "decision_hours", column: "hour", unitMs: HOUR_MS },
  { table: "decision_minutes", column: "minute", unitMs: MINUTE_MS },
] as const;

/** Adds to the hour and minute of a moment: decisions made, and what was spent or came back. */
async function addToBuckets(
  tx: Transaction,
  { siteKeyHash, identity, amount }: Pick<Decision, "siteKeyHash" | "identity" | "amount">,
  at: number,
  { minor, decisions }: { readonly minor: number; readonly decisions: number },
): Promise<void> {
  for (const { table, column, unitMs } of BUCKETS) {
    await tx.run(
      `INSERT INTO ${table} (site_key_hash, ${column}, actor_id, currency, minor, decisions)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (site_key_hash, ${column}, actor_id, currency) DO UPDATE SET
         minor = ${table}.minor + ?, decisions = ${table}.decisions + ?`,
      siteKeyHash,
      floor(at, unitMs),
      identity,
      amount?.currency ?? "",
      minor,
      decisions,
      minor,
      decisions,
    );
  }
}

/** Minutes nobody looks at any more. */
export async function forgetMinutes(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM decision_minutes WHERE minute < ?", before);
}

/** Writes a decision and what it adds to its minute, hour and day. */
export async function insertDecision(
  tx: Transaction,
  made: Omit<Decision, "spentAt">,
): Promise<void> {
  const decision = { ...made, spentAt: isSpent(made) ? made.evaluatedAt : null };
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

/** The decision about a mandate, if it was claimed before. */
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
 * Writes what a decision has come to since. Its money counts as spent from the moment it is asked
 * for, which may be hours after the mandate came; what was not paid after all counts no more.
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
  // After the buckets, as where a decision is made: rows are taken in one order.
  await recountDecision(tx, before, after.outcome);
}

interface DecisionFilter extends Span {
  readonly outcome: string | undefined;
  readonly actorId: string | undefined;
  readonly mandateId: string | undefined;
  readonly checkout: DecidedCheckout | undefined;
}

/** A checkout, and what it knows of the decisions about it. */
interface DecidedCheckout {
  readonly checkoutId: string;
  /** About its last try, which a mandate may have been; null where that is not known. */
  readonly decisionId: string | null;
}

/** Only a platform's tries are named after their checkout: what agents call theirs proves nothing. */
const OF_CHECKOUT = `(CAST(? AS TEXT) IS NULL OR decision_id = ?
         OR (protocol = 'ucp' AND SUBSTR(mandate_id, 1, LENGTH(CAST(? AS TEXT))) = ?))`;

/** Decisions of a site, the newest first. */
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
  // The nearer of both: with two ends the database may walk from the farther one.
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

/** Whose decisions are counted: those of one identity, or all of a site. */
interface Counted {
  readonly siteKeyHash: string;
  readonly identity: string | null;
  /** After this moment, up to now. */
  readonly since: number;
  readonly now: number;
}

const MINE = "(CAST(? AS TEXT) IS NULL OR identity = ?)";
/** The same in the buckets, whose column kept its old name. */
const MINE_IN_BUCKETS = "(CAST(? AS TEXT) IS NULL OR actor_id = ?)";

/** A short window is put together of minutes, a long one of hours; rows fill its first piece. */
function bucketFor({ since, now }: Counted) {
  return now - since > HOUR_MS ? BUCKETS[0] : BUCKETS[1];
}

/** How many decisions were made. */
export async function countDecisions(tx: Queries, counted: Counted): Promise<number> {
  const { siteKeyHash, identity, since } = counted;
  const { table, column, unitMs } = bucketFor(counted);
  const whole = floor(since, unitMs) + unitMs;
  type Sum = { decisions: number | null };
  const buckets = await tx.get<Sum>(
    `SELECT SUM(decisions) AS decisions FROM ${table}
     WHERE site_key_hash = ? AND ${column} >= ? AND ${MINE_IN_BUCKETS}`,
    siteKeyHash,
    whole,
    identity,
    identity,
  );
  const first = await tx.get<Sum>(
    `SELECT COUNT(*) AS decisions FROM decisions
     WHERE site_key_hash = ? AND evaluated_at > ? AND evaluated_at < ? AND ${MINE}`,
    siteKeyHash,
    since,
    whole,
    identity,
    identity,
  );
  return Number(buckets?.decisions ?? 0) + Number(first?.decisions ?? 0);
}

/** What was spent in a currency, in whole minor units; no more than can be counted exactly. */
export async function sumSpent(tx: Queries, counted: Counted, currency: string): Promise<number> {
  const { siteKeyHash, identity, since } = counted;
  const { table, column, unitMs } = bucketFor(counted);
  const whole = floor(since, unitMs) + unitMs;
  type Sum = { minor: number | null };
  const buckets = await tx.get<Sum>(
    `SELECT SUM(minor) AS minor FROM ${table}
     WHERE site_key_hash = ? AND ${column} >= ? AND currency = ? AND ${MINE_IN_BUCKETS}`,
    siteKeyHash,
    whole,
    currency,
    identity,
    identity,
  );
  const first = await tx.get<Sum>(
    `SELECT SUM(amount_minor) AS minor FROM decisions
     WHERE site_key_hash = ? AND spent_at > ? AND spent_at < ? AND currency = ? AND ${MINE}`,
    siteKeyHash,
    since,
    whole,
    currency,
    identity,
    identity,
  );
  return Math.min(Number(buckets?.minor ?? 0) + Number(first?.minor ?? 0), Number.MAX_SAFE_INTEGER);
}

/** With the site what was decided for it is gone; its log is not. */
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

/** The last decisions of a site, the oldest of them first. */
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
