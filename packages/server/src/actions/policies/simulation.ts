import {
  type CounterName,
  type Evaluation,
  evaluatePolicy,
  type FactsNeeded,
  factsNeeded,
  movesMoney,
  type Policy,
  type PolicyFacts,
  type PoolFacts,
  policyDurationMs,
  withPool,
} from "@gatehouse/protocol";
import type { Decision } from "../../domain/decisions/decision.js";
import type { Book } from "../../domain/decisions/history/book.js";
import { localTime } from "../../infra/clock.js";
import type { WorkBudget } from "../../infra/work-budget.js";

/** What rules said about one mandate. */
export interface Verdict {
  readonly outcome: Evaluation["outcome"];
  readonly ruleId: string | null;
}

/** What was decided about a mandate, and what a draft would have decided. */
export interface TestedDecision {
  readonly decision: Decision;
  readonly was: Verdict;
  readonly wouldBe: Verdict;
}

/** What rules said and knew at the time. */
export interface PastEvaluation {
  readonly was: Verdict;
  readonly facts: PolicyFacts;
  /** The pool of platforms that are not admitted, if it was checked; a draft does not change it. */
  readonly pool?: PoolFacts | undefined;
}

/** What counts for the decisions to come. */
export interface Books {
  readonly decisions: Book;
  readonly minor: Book;
}

/** Whether there is anything to spend. */
const spends = ({ amount, skill }: Decision) => amount !== null && movesMoney(skill);

/**
 * Decides past mandates again, in order, as if a draft had been in force since the first of them:
 * what came before it is counted as it happened, what came since as the draft has it.
 */
export class PolicySimulation {
  private readonly policy: Policy;
  private readonly needed: FactsNeeded;
  private readonly books: Books;
  /** When people approved what was given to them, by decision. */
  private readonly approvals: ReadonlyMap<string, number>;
  private readonly allowance: WorkBudget;

  constructor(
    policy: Policy,
    books: Books,
    approvals: ReadonlyMap<string, number>,
    allowance: WorkBudget,
  ) {
    this.policy = policy;
    this.needed = factsNeeded(policy);
    this.books = books;
    this.approvals = approvals;
    this.allowance = allowance;
  }

  private counted(
    book: Book,
    { scope, window }: CounterName,
    { identity, evaluatedAt }: Decision,
    currency?: string,
  ): number {
    const since = evaluatedAt - (policyDurationMs(window) as number);
    return book.after(since, scope === "agent" ? identity : null, currency);
  }

  private factsOf(decision: Decision, recorded: PolicyFacts): PolicyFacts {
    const { decisions, minor } = this.books;
    const { skill, protocol, cart, agent } = recorded;
    const spend = (cart === undefined ? [] : this.needed.spend).map((name) => {
      const currency = cart?.currency ?? "";
      return { ...name, currency, minor: this.counted(minor, name, decision, currency) };
    });
    const count = this.needed.count.map((name) => ({
      ...name,
      value: this.counted(decisions, name, decision),
    }));
    return {
      ...(skill !== undefined && { skill }),
      ...(protocol !== undefined && { protocol }),
      ...(cart !== undefined && { cart }),
      ...(agent !== undefined && { agent }),
      time: { local: localTime(this.policy.timezone, decision.evaluatedAt) },
      spend,
      count,
    };
  }

  /** When what a decision is about would have been spent; undefined: never. */
  private spentAt(decision: Decision, outcome: string, before: PastEvaluation | undefined) {
    if (outcome === "rejected" || !spends(decision)) return undefined;
    // It was asked for, and the payment came to nothing.
    if (before?.was.outcome === "approved" && decision.outcome === "rejected") return undefined;
    // Nobody was asked about what the draft alone leaves to a person, so nothing is spent there.
    if (outcome === "escalated") return this.approvals.get(decision.decisionId);
    return decision.evaluatedAt;
  }

  private evaluate(decision: Decision, { facts, pool }: PastEvaluation): Evaluation {
    const alone = evaluatePolicy(this.policy, this.factsOf(decision, facts));
    return withPool(this.policy, alone, pool, decision.amount?.minor ?? 0);
  }

  /** Undefined for a decision that no rules were asked for: it only counts. */
  async decide(
    decision: Decision,
    before: PastEvaluation | undefined,
  ): Promise<TestedDecision | undefined> {
    const { decisions, minor } = this.books;
    const { identity, evaluatedAt: at, amount } = decision;
    await decisions.advance(at, this.allowance);
    await minor.advance(at, this.allowance);
    const again = before && this.evaluate(decision, before);
    const whose = [null, identity];
    decisions.add({ at, counters: whose, currency: "", value: 1 });
    const spentAt = this.spentAt(decision, (again ?? decision).outcome, before);
    if (spentAt !== undefined && amount !== null) {
      minor.add({ at: spentAt, counters: whose, currency: amount.currency, value: amount.minor });
    }
    if (before === undefined || again === undefined) return undefined;
    const wouldBe = { outcome: again.outcome, ruleId: again.rule };
    return { decision, was: before.was, wouldBe };
  }
}
