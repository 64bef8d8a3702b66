import type { Money } from "../money/amount.js";
import type { PolicyFacts } from "./facts.js";
import type { Comparison, Condition, ExistsFact, TextFact } from "./model.js";

/** What became of a condition; `unknown` when a fact it needs is missing. */
export type RuleResult = "matched" | "not_matched" | "unknown";

const OPPOSITE = { matched: "not_matched", not_matched: "matched", unknown: "unknown" } as const;

function asResult(holds: boolean): RuleResult {
  return holds ? "matched" : "not_matched";
}

/** `decisive` settles it alone; failing that, what is not known might have. */
function combine(results: readonly RuleResult[], decisive: "matched" | "not_matched"): RuleResult {
  if (results.includes(decisive)) return decisive;
  return results.includes("unknown") ? "unknown" : OPPOSITE[decisive];
}

function compare(operator: Comparison | "eq", value: number, limit: number): RuleResult {
  if (operator === "eq") return asResult(value === limit);
  if (operator === "gt") return asResult(value > limit);
  if (operator === "gte") return asResult(value >= limit);
  return asResult(operator === "lt" ? value < limit : value <= limit);
}

function textOf(facts: PolicyFacts, fact: TextFact): string | undefined {
  if (fact === "skill") return facts.skill;
  if (fact === "protocol") return facts.protocol;
  return fact === "cart.currency" ? facts.cart?.currency : facts.agent?.id;
}

function isKnown(facts: PolicyFacts, fact: ExistsFact): boolean {
  if (fact === "cart.total") return facts.cart?.total !== undefined;
  if (fact === "agent.tags") return facts.agent?.tags !== undefined;
  return textOf(facts, fact) !== undefined;
}

type Kind<K extends Condition["kind"]> = Extract<Condition, { readonly kind: K }>;

function textResult({ fact, operator, values }: Kind<"text">, facts: PolicyFacts): RuleResult {
  const text = textOf(facts, fact);
  if (text === undefined) return "unknown";
  if (operator === "prefix") return asResult(values.some((value) => text.startsWith(value)));
  return asResult(values.includes(text) === (operator !== "not_in"));
}

/** Undefined when the cart or its currency is not covered: no amount can be compared then. */
function limitFor(limits: readonly Money[], facts: PolicyFacts): number | undefined {
  return limits.find(({ currency }) => currency === facts.cart?.currency)?.minor;
}

function totalResult({ operator, limits }: Kind<"total">, facts: PolicyFacts): RuleResult {
  const limit = limitFor(limits, facts);
  if (facts.cart === undefined || limit === undefined) return "unknown";
  return compare(operator, facts.cart.total, limit);
}

function timeResult({ start, end }: Kind<"time">, facts: PolicyFacts): RuleResult {
  const local = facts.time?.local;
  if (local === undefined) return "unknown";
  // Times of one fixed width sort as texts.
  const [from, until] = [local >= start, local < end];
  return asResult(start < end ? from && until : from || until);
}

function spendResult({ scope, window, limits }: Kind<"spend">, facts: PolicyFacts): RuleResult {
  const { cart, spend = [] } = facts;
  const limit = limitFor(limits, facts);
  const spent = spend.find(
    (entry) =>
      entry.scope === scope && entry.window === window && entry.currency === cart?.currency,
  );
  if (cart === undefined || limit === undefined || spent === undefined) return "unknown";
  // Past 2^53 the sum may be rounded, but never down to a limit, which is a safe integer.
  return asResult(spent.minor + cart.total > limit);
}

/** `gt: n` asks whether this one would come after the n-th in the window. */
function countResult({ scope, window, gt }: Kind<"count">, facts: PolicyFacts): RuleResult {
  const before = facts.count?.find((entry) => entry.scope === scope && entry.window === window);
  if (before === undefined) return "unknown";
  return asResult(before.value + 1 > gt);
}

/** Compares a condition with the facts, in the three-valued logic of Kleene. */
export function resultOf(condition: Condition, facts: PolicyFacts): RuleResult {
  switch (condition.kind) {
    case "all":
    case "any": {
      const results = condition.conditions.map((inner) => resultOf(inner, facts));
      return combine(results, condition.kind === "all" ? "not_matched" : "matched");
    }
    case "not":
      return OPPOSITE[resultOf(condition.condition, facts)];
    case "exists":
      return asResult(isKnown(facts, condition.fact) === condition.expected);
    case "text":
      return textResult(condition, facts);
    case "tags": {
      const tags = facts.agent?.tags;
      if (tags === undefined) return "unknown";
      return asResult(condition.values.some((value) => tags.includes(value)));
    }
    case "present":
      return asResult((facts.buyer?.present ?? false) === condition.expected);
    case "age": {
      const days = facts.agent?.age_days;
      return days === undefined ? "unknown" : compare(condition.operator, days, condition.days);
    }
    case "total":
      return totalResult(condition, facts);
    case "time":
      return timeResult(condition, facts);
    case "spend":
      return spendResult(condition, facts);
    case "count":
      return countResult(condition, facts);
  }
}
