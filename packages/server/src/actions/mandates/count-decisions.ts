import type { Context } from "../../context.js";
import { busiestAgents, outcomeHours } from "../../domain/decisions/counts/store.js";
import { type DecisionOutcome, OUTCOMES, type Span } from "../../domain/decisions/decision.js";
import { type CountBy, stepOf } from "../count-by.js";

/** Rows of hours one answer is made from: every outcome of more than a year of hours. */
const ROWS_MAX = 50_000;
/** Agents one answer names: those with most decisions. */
const AGENTS_MAX = 20;
/** Rows of days their sums are made from: a thousand agents a day for a month, each with three outcomes. */
const AGENT_ROWS_MAX = 100_000;

/** How many decisions there are, in all and by outcome. */
interface Counted {
  readonly decisions: number;
  readonly by: Readonly<Record<DecisionOutcome, number>>;
}

export interface DecisionCounts {
  /** Of UTC hours or days. */
  readonly counts: readonly ({ readonly start: number } & Counted)[];
  /** Of whole UTC days, the one with most decisions first. */
  readonly agents: readonly ({ readonly actorId: string } & Counted)[];
  /** Whether the answer is incomplete. Ask for a shorter time. */
  readonly cut: boolean;
}

/** Steps without a decision are left out. */
export async function countDecisions(
  { db }: Context,
  siteKeyHash: string,
  span: Span,
  by: CountBy,
): Promise<DecisionCounts> {
  const rows = await outcomeHours(db, siteKeyHash, span, ROWS_MAX + 1);
  const none = () =>
    Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Record<DecisionOutcome, number>;
  const steps = new Map<
    number,
    { start: number; decisions: number; by: Record<DecisionOutcome, number> }
  >();
  for (const { hour, outcome, decisions } of rows.slice(0, ROWS_MAX)) {
    const start = stepOf(hour, by);
    const step = steps.get(start) ?? { start, decisions: 0, by: none() };
    step.decisions += decisions;
    step.by[outcome] += decisions;
    steps.set(start, step);
  }
  const limits = { agentsMax: AGENTS_MAX, rowsMax: AGENT_ROWS_MAX + 1 };
  const busiest = await busiestAgents(db, siteKeyHash, span, limits);
  return {
    counts: [...steps.values()],
    agents: busiest.agents,
    cut: rows.length > ROWS_MAX || busiest.rows > AGENT_ROWS_MAX,
  };
}
