import type { Context } from "../../context.js";
import { busiestAgents, outcomeSteps } from "../../domain/decisions/counts/store.js";
import { type DecisionOutcome, OUTCOMES, type Span } from "../../domain/decisions/decision.js";
import { type CountBy, STEP_MS } from "../count-by.js";

/** Rows of quarters of an hour one answer is made from: every outcome of a year. */
const ROWS_MAX = 150_000;
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
  /** Of UTC quarters of an hour, hours or days. */
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
  const counted = await outcomeSteps(db, siteKeyHash, span, {
    stepMs: STEP_MS[by],
    rowsMax: ROWS_MAX + 1,
  });
  const none = () =>
    Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Record<DecisionOutcome, number>;
  const steps = new Map<
    number,
    { start: number; decisions: number; by: Record<DecisionOutcome, number> }
  >();
  for (const { start, outcome, decisions } of counted.steps) {
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
    cut: counted.rows > ROWS_MAX || busiest.rows > AGENT_ROWS_MAX,
  };
}
