import type { NewRow, Queries, Transaction } from "../../../infra/db/database.js";
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from "../../../infra/time.js";
import type { Decision, DecisionOutcome, Span } from "../decision.js";

const floor = (ms: number, unitMs: number) => ms - (ms % unitMs);

type Counted = Pick<Decision, "siteKeyHash" | "actorId" | "evaluatedAt">;

interface Counts {
  readonly table: string;
  keyOf(counted: Counted, outcome: DecisionOutcome): NewRow;
}

/**
 * Days begin within an hour of UTC in some time zones, so quarters of an hour are counted. Their table is named after
 * whole hours: nodes of an older version write those into it while they are replaced.
 */
const COUNTS: readonly Counts[] = [
  {
    table: "outcome_hours",
    keyOf: ({ siteKeyHash, evaluatedAt }, outcome) => ({
      site_key_hash: siteKeyHash,
      hour: floor(evaluatedAt, QUARTER_HOUR_MS),
      outcome,
    }),
  },
  {
    table: "outcome_agent_days",
    keyOf: ({ siteKeyHash, actorId, evaluatedAt }, outcome) => ({
      site_key_hash: siteKeyHash,
      day: floor(evaluatedAt, DAY_MS),
      actor_id: actorId,
      outcome,
    }),
  },
];

async function count(
  tx: Transaction,
  counted: Counted,
  { added, removed }: { readonly added: DecisionOutcome; readonly removed?: DecisionOutcome },
): Promise<void> {
  for (const { table, keyOf } of COUNTS) {
    await tx.add(table, keyOf(counted, added), { decisions: 1 });
    if (removed !== undefined) await tx.take(table, keyOf(counted, removed), { decisions: 1 });
  }
}

export function countDecision(
  tx: Transaction,
  decision: Counted & Pick<Decision, "outcome">,
): Promise<void> {
  return count(tx, decision, { added: decision.outcome });
}

/** Counts a decision under its new outcome, in the quarter of an hour and the day in which it was made. */
export async function recountDecision(
  tx: Transaction,
  before: Counted & Pick<Decision, "outcome">,
  outcome: DecisionOutcome,
): Promise<void> {
  if (outcome !== before.outcome)
    await count(tx, before, { added: outcome, removed: before.outcome });
}

/** The bounds of a span in steps, beginning with the step that contains its start. */
function stepsOf({ from = 0, to = Number.MAX_SAFE_INTEGER }: Span, stepMs: number) {
  return [floor(from, stepMs), to];
}

interface OutcomeStep {
  readonly start: number;
  readonly outcome: DecisionOutcome;
  readonly decisions: number;
}

interface OutcomeSteps {
  readonly steps: readonly OutcomeStep[];
  /** The number of rows that were summed. */
  readonly rows: number;
}

type StepSums = Readonly<Record<"start" | "decisions" | "rows_read", number | string>>;

/**
 * The number of decisions by step and outcome, the oldest first, in the first `rowsMax` rows. They begin with the hour
 * that contains the start of the span, or with the quarter if steps are that short.
 */
export async function outcomeSteps(
  db: Queries,
  siteKeyHash: string,
  span: Span,
  { stepMs, rowsMax }: { readonly stepMs: number; readonly rowsMax: number },
): Promise<OutcomeSteps> {
  const sums = await db.all<StepSums & { readonly outcome: DecisionOutcome }>(
    `SELECT hour - hour % ${stepMs} AS start, outcome, SUM(decisions) AS decisions,
       SUM(COUNT(*)) OVER () AS rows_read
     FROM (SELECT hour, outcome, decisions FROM outcome_hours
       WHERE site_key_hash = ? AND hour >= ? AND hour < ? AND decisions > 0
       ORDER BY hour, outcome LIMIT ?) AS quarters
     GROUP BY 1, 2 ORDER BY 1, 2`,
    siteKeyHash,
    ...stepsOf(span, Math.min(stepMs, HOUR_MS)),
    rowsMax,
  );
  return {
    steps: sums.map(({ start, outcome, decisions }) => ({
      start: Number(start),
      outcome,
      decisions: Number(decisions),
    })),
    rows: Number(sums[0]?.rows_read ?? 0),
  };
}

interface AgentDecisions {
  readonly actorId: string;
  readonly decisions: number;
  readonly by: Readonly<Record<DecisionOutcome, number>>;
}

interface BusiestAgents {
  readonly agents: readonly AgentDecisions[];
  /** The number of rows that were summed. */
  readonly rows: number;
}

type Sums = Readonly<Record<"decisions" | "rows_read" | DecisionOutcome, number | string>>;

/** The actors with the most decisions, in the first `rowsMax` rows of whole days. */
export async function busiestAgents(
  db: Queries,
  siteKeyHash: string,
  span: Span,
  { agentsMax, rowsMax }: { readonly agentsMax: number; readonly rowsMax: number },
): Promise<BusiestAgents> {
  const of = (outcome: DecisionOutcome) =>
    `SUM(CASE WHEN outcome = '${outcome}' THEN decisions ELSE 0 END) AS ${outcome}`;
  const actors = await db.all<Sums & { readonly actor_id: string }>(
    `SELECT actor_id, SUM(decisions) AS decisions, ${of("approved")}, ${of("escalated")},
       ${of("rejected")}, ${of("paying")}, SUM(COUNT(*)) OVER () AS rows_read
     FROM (SELECT actor_id, outcome, decisions FROM outcome_agent_days
       WHERE site_key_hash = ? AND day >= ? AND day < ? AND decisions > 0
       ORDER BY day, actor_id, outcome LIMIT ?) AS days
     GROUP BY actor_id ORDER BY SUM(decisions) DESC, actor_id LIMIT ?`,
    siteKeyHash,
    ...stepsOf(span, DAY_MS),
    rowsMax,
    agentsMax,
  );
  return {
    agents: actors.map((sums) => ({
      actorId: sums.actor_id,
      decisions: Number(sums.decisions),
      by: {
        approved: Number(sums.approved),
        escalated: Number(sums.escalated),
        rejected: Number(sums.rejected),
        paying: Number(sums.paying),
      },
    })),
    rows: Number(actors[0]?.rows_read ?? 0),
  };
}

/** The number of decisions of each named identity since the start of an hour. */
export async function decisionsByIdentity(
  db: Queries,
  siteKeyHash: string,
  identities: readonly string[],
  since: number,
): Promise<ReadonlyMap<string, number>> {
  if (identities.length === 0) return new Map();
  const marks = identities.map(() => "?").join(", ");
  const rows = await db.all<{ identity: string; decisions: number }>(
    `SELECT actor_id AS identity, SUM(decisions) AS decisions FROM decision_hours
     WHERE site_key_hash = ? AND hour >= ? AND actor_id IN (${marks}) GROUP BY actor_id`,
    siteKeyHash,
    since,
    ...identities,
  );
  return new Map(rows.map(({ identity, decisions }) => [identity, Number(decisions)]));
}
