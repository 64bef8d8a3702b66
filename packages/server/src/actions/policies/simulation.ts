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
import { BUYER, type Decision } from "../../domain/decisions/decision.js";
import type { Book } from "../../domain/decisions/history/book.js";
import { localTime } from "../../infra/clock.js";
import type { WorkBudget } from "../../infra/work-budget.js";

/** The result of the rules for one mandate. */
export interface PolicyResult {
  readonly outcome: Evaluation["outcome"];
  readonly ruleId: string | null;
}

/** A past decision with its own result and the result of the draft. */
export interface TestedDecision {
  readonly decision: Decision;
  readonly was: PolicyResult;
  readonly wouldBe: PolicyResult;
}

/** The result and the facts of a past evaluation. */
export interface PastEvaluation {
  readonly was: PolicyResult;
  readonly facts: PolicyFacts;
  /** The pool of platforms that are not admitted, if it was checked; a draft does not change it. */
  readonly pool?: PoolFacts | undefined;
}

/** The running counters: number of decisions, and amounts spent in minor units. */
export interface Books {
  readonly decisions: Book;
  readonly minor: Book;
}

/** Whether an approval of this decision spends money. */
const spends = ({ amount, skill }: Decision) => amount !== null && movesMoney(skill);

/**
 * Decides past mandates again, in order, as if a draft had been in force since the first of them. Earlier
 * decisions count with their real results, later ones with the results of the draft.
 */
export class PolicySimulation {
  private readonly policy: Policy;
  private readonly needed: FactsNeeded;
  private readonly books: Books;
  /** When a person approved the review of a decision, by decision id. */
  private readonly approvals: ReadonlyMap<string, number>;
  private readonly budget: WorkBudget;

  constructor(
    policy: Policy,
    books: Books,
    approvals: ReadonlyMap<string, number>,
    budget: WorkBudget,
  ) {
    this.policy = policy;
    this.needed = factsNeeded(policy);
    this.books = books;
    this.approvals = approvals;
    this.budget = budget;
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
    const { skill, protocol, cart, agent, buyer } = recorded;
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
      ...(buyer !== undefined && { buyer }),
      time: { local: localTime(this.policy.timezone, decision.evaluatedAt) },
      spend,
      count,
    };
  }

  /** When the amount of a decision would have been spent; undefined if never. */
  private spentAt(decision: Decision, outcome: string, before: PastEvaluation | undefined) {
    if (outcome === "rejected" || !spends(decision)) return undefined;
    // The rules approved it, but its payment failed.
    if (before?.was.outcome === "approved" && decision.outcome === "rejected") return undefined;
    // If only the draft asks for a review, nobody has approved one, so nothing is spent.
    if (outcome === "escalated") return this.approvals.get(decision.decisionId);
    return decision.evaluatedAt;
  }

  private evaluate(decision: Decision, { facts, pool }: PastEvaluation): Evaluation {
    const alone = evaluatePolicy(this.policy, this.factsOf(decision, facts));
    return withPool(this.policy, alone, pool, decision.amount?.minor ?? 0);
  }

  /** Undefined for a decision that was made without rules: it is only counted. */
  async decide(
    decision: Decision,
    before: PastEvaluation | undefined,
  ): Promise<TestedDecision | undefined> {
    const { decisions, minor } = this.books;
    const { identity, evaluatedAt: at, amount } = decision;
    await decisions.advance(at, this.budget);
    await minor.advance(at, this.budget);
    const simulated = before && this.evaluate(decision, before);
    const counters = [null, identity];
    // People who pay themselves count in no window, as when it was decided.
    if (identity !== BUYER) decisions.add({ at, counters, currency: "", value: 1 });
    const spentAt = this.spentAt(decision, (simulated ?? decision).outcome, before);
    if (spentAt !== undefined && amount !== null) {
      minor.add({ at: spentAt, counters, currency: amount.currency, value: amount.minor });
    }
    if (before === undefined || simulated === undefined) return undefined;
    const wouldBe = { outcome: simulated.outcome, ruleId: simulated.rule };
    return { decision, was: before.was, wouldBe };
  }
}
