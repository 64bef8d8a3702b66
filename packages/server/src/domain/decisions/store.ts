import {
  type Database,
  DatabaseConflictError,
  type ExpectedRead,
  type Queries,
  type Transaction,
} from "../../infra/db/database.js";
import { type Condition, deleterOf, equals, selectValues } from "../../infra/db/statements.js";
import { converted, flag, json, type ListPage, Table } from "../../infra/db/table.js";
import { addToBuckets } from "./budgets/store.js";
import { countDecision, recountDecision } from "./counts/store.js";
import { BUYER, type Decision, isSpent, type Span } from "./decision.js";

/** What follows the mandate id of a decision that a later decision replaced. No mandate id contains it. */
const FREED = /~.*$/;

const decisions = new Table<Decision>("decisions", {
  decisionId: "decision_id",
  siteKeyHash: "site_key_hash",
  actorId: "actor_id",
  identity: "identity",
  pooled: flag("pooled"),
  mandateId: converted(
    "mandate_id",
    (stored) => stored.replace(FREED, ""),
    (id) => id,
  ),
  digest: "digest",
  skill: "skill",
  protocol: "protocol",
  amount: {
    read: ({ amount_minor: minor, currency }) =>
      minor === null || currency === null
        ? null
        : { minor: minor as number, currency: currency as string },
    write: (amount) => ({
      amount_minor: amount?.minor ?? null,
      currency: amount?.currency ?? null,
    }),
  },
  outcome: "outcome",
  reason: "reason",
  ruleId: "rule_id",
  rulesEvaluated: "rules_evaluated",
  policyVersion: "policy_version",
  recordId: "record_id",
  evaluatedAt: "evaluated_at",
  spentAt: "spent_at",
  answer: json("answer"),
});

/** Writes a decision and adds it to the counters. */
export async function insertDecision(
  tx: Transaction,
  draft: Omit<Decision, "spentAt">,
): Promise<void> {
  const decision = { spentAt: isSpent(draft) ? draft.evaluatedAt : null, ...draft };
  await decisions.insert(tx, [decision]);
  const minor = decision.spentAt === null ? 0 : (decision.amount?.minor ?? 0);
  // Neither budgets nor velocity of agents count people who pay themselves.
  const counted = decision.identity === BUYER ? 0 : 1;
  await addToBuckets(tx, decision, decision.evaluatedAt, { minor, decisions: counted });
  await countDecision(tx, decision);
}

const mandateKey = (siteKeyHash: string, actorId: string, mandateId: string) => ({
  site_key_hash: siteKeyHash,
  actor_id: actorId,
  mandate_id: mandateId,
});

/** The decision about a mandate; undefined if it was not received before. */
export function decisionOfMandate(
  db: Queries,
  siteKeyHash: string,
  actorId: string,
  mandateId: string,
): Promise<Decision | undefined> {
  return decisions.find(db, mandateKey(siteKeyHash, actorId, mandateId));
}

/** The row that {@link decisionOfMandate} finds. */
export function readOfMandate(
  siteKeyHash: string,
  actorId: string,
  mandateId: string,
): ExpectedRead {
  const key = mandateKey(siteKeyHash, actorId, mandateId);
  return { kind: "find", table: "decisions", key };
}

export const decisionById = decisions.by("decision_id");

/** The versions of the rules that made these decisions, by decision. */
export async function policyVersionsOf(
  db: Queries,
  siteKeyHash: string,
  decisionIds: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  const rows = await decisions.among(db, siteKeyHash, "decision_id", decisionIds);
  return new Map(rows.map(({ decisionId, policyVersion }) => [decisionId, policyVersion]));
}

/** What {@link findDecision} reads. */
export function readOfDecision(decisionId: string): ExpectedRead {
  return { kind: "find", table: "decisions", key: { decision_id: decisionId } };
}

/** As `decisionById`, for a commit: it is read together with what other commits read. */
export function findDecision(db: Queries, decisionId: string): Promise<Decision | undefined> {
  return decisions.find(db, { decision_id: decisionId });
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
  const { decisionId, amount } = before;
  const spends = isSpent({ ...before, outcome: after.outcome });
  const spentAt = spends ? (before.spentAt ?? now) : null;
  const { outcome, reason } = after;
  const answer = JSON.stringify(after.answer);
  const changed = { outcome, reason, answer, spent_at: spentAt };
  await tx.set("decisions", { decision_id: decisionId }, changed);
  if (amount !== null && spentAt !== before.spentAt) {
    const minor = spentAt === null ? -amount.minor : amount.minor;
    await addToBuckets(tx, before, spentAt ?? before.spentAt ?? now, { minor, decisions: 0 });
  }
  await recountDecision(tx, before, after.outcome);
}

/** Frees the id of a mandate, so that the same mandate is decided again. The earlier decision remains. */
export async function freeMandateId(
  tx: Transaction,
  { decisionId, mandateId }: Pick<Decision, "decisionId" | "mandateId">,
): Promise<void> {
  const sql = "UPDATE decisions SET mandate_id = ? WHERE decision_id = ? AND mandate_id = ?";
  const freed = await tx.run(sql, `${mandateId}~${decisionId}`, decisionId, mandateId);
  if (freed !== 1) throw new DatabaseConflictError("the mandate is being decided again");
}

export interface DecisionFilter extends Span {
  readonly outcome: string | undefined;
  readonly actorId: string | undefined;
  readonly mandateId: string | undefined;
  readonly checkout: DecidedCheckout | undefined;
}

/** The decisions about one checkout. */
interface DecidedCheckout {
  /** The mandate ids of its tries. */
  readonly tryIds: readonly string[];
  /** The decision about its last try, which a mandate may have made; null if unknown. */
  readonly decisionId: string | null;
}

/** Decisions that are few: found by the index of mandates, and then sorted. */
function ofMandates(siteKeyHash: string, ids: readonly string[], more: Condition): Condition {
  const marks = ids.map(() => "?").join(", ");
  return {
    sql: `decision_id IN (SELECT decision_id FROM decisions
       WHERE site_key_hash = ? AND mandate_id IN (${marks}) ${more.sql})`,
    values: [siteKeyHash, ...ids, ...more.values],
  };
}

const ofMandate = (siteKeyHash: string, mandateId: string) =>
  ofMandates(siteKeyHash, [mandateId], { sql: "", values: [] });

/** The ids of tries count only for platforms: an agent chooses its mandate ids freely. */
const ofCheckout = (siteKeyHash: string, { tryIds, decisionId }: DecidedCheckout) =>
  ofMandates(siteKeyHash, tryIds, {
    sql: "AND protocol = 'ucp' UNION ALL SELECT CAST(? AS TEXT)",
    values: [decisionId],
  });

/** Decisions of a site, the newest first. */
export function listDecisions(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  { outcome, actorId, mandateId, checkout, from, to }: DecisionFilter,
  { after, limit }: ListPage,
): Promise<Decision[]> {
  const end = to === undefined ? null : { createdAt: to, id: "" };
  // Only the nearer bound: with both, the database may scan from the farther one.
  const isNearer = after !== null && (end === null || after.createdAt < end.createdAt);
  const where = [
    equals("site_key_hash", siteKeyHash),
    { sql: "evaluated_at >= ?", values: [from ?? 0] },
    equals("outcome", outcome),
    equals("actor_id", actorId),
    mandateId === undefined ? undefined : ofMandate(siteKeyHash, mandateId),
    checkout && ofCheckout(siteKeyHash, checkout),
  ];
  // The few decisions by their ids: by time, SQLite would pass all others of the site to find them.
  const isFew = mandateId !== undefined || checkout !== undefined;
  const sqliteIndex = isFew && db.dialect === "sqlite" ? "sqlite_autoindex_decisions_1" : undefined;
  const order = { by: ["evaluated_at", "decision_id"], newestFirst: true, sqliteIndex } as const;
  return decisions.page(db, where, order, { after: isNearer ? after : end, limit });
}

/** The ids of all decisions about a checkout. */
export function decisionIdsOfCheckout(
  db: Queries,
  siteKeyHash: string,
  checkout: DecidedCheckout,
): Promise<string[]> {
  const { sql, values } = ofCheckout(siteKeyHash, checkout);
  return selectValues<string>(db, "decision_id", `decisions WHERE ${sql}`, ...values);
}

/** Deletes the decisions of a site that is being deleted. Its audit log stays. */
export const deleteDecisions = deleterOf(
  "decisions",
  "decision_hours",
  "decision_minutes",
  "outcome_hours",
  "outcome_agent_days",
  "agent_failures",
  "agent_locks",
);

/** The last decisions of a site, the oldest first. */
export async function lastDecisions(
  db: Queries,
  siteKeyHash: string,
  { limit, since }: { readonly limit: number; readonly since: number },
): Promise<Decision[]> {
  const newest = await decisions.all(
    db,
    `WHERE site_key_hash = ? AND evaluated_at >= ?
     ORDER BY evaluated_at DESC, decision_id DESC LIMIT ?`,
    siteKeyHash,
    since,
    limit,
  );
  return newest.reverse();
}
