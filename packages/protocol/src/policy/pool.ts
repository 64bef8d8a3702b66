import type { JsonValue } from "../json/value.js";
import type { Result } from "../result.js";
import { POLICY_WINDOWS, type PolicyWindow } from "./duration.js";
import type { Evaluation } from "./evaluate.js";
import { attempt, fail, readChoice, readMembers, readPattern, readWhole } from "./members.js";
import type { Policy } from "./model.js";
import { type PolicyReasons, policyReasons } from "./reasons.js";

/**
 * What all platforms that the owner has not admitted had used together, without this request, and their
 * limits. The record holds it beside the facts of the rules.
 */
export type PoolFacts = {
  /** In whole minor units. */
  readonly spend: readonly {
    readonly window: PolicyWindow;
    readonly currency: string;
    readonly minor: number;
    readonly limit: number;
  }[];
  readonly count: readonly {
    readonly window: PolicyWindow;
    readonly value: number;
    readonly limit: number;
  }[];
};

/** An evaluation, and what follows from it. */
export interface PooledEvaluation extends Evaluation {
  readonly reasons: PolicyReasons;
}

const POOL_REASONS: PolicyReasons = Object.freeze({
  refusal: "budget_exceeded",
  codes: Object.freeze(["budget_exceeded", "platform_pool"]),
});

function isExceeded({ spend, count }: PoolFacts, cartMinor: number): boolean {
  return (
    spend.some(({ minor, limit }) => minor + cartMinor > limit) ||
    count.some(({ value, limit }) => value >= limit)
  );
}

/**
 * Applies the pool to the result of the rules: a request that the rules approve or escalate is refused if
 * the pool is used up. No rule is named then, because none decided.
 *
 * @example
 * const rules = [{ id: "all", effect: "allow", when: { skill: { eq: "place_order" } } }];
 * const policy = readPolicy({ policy: "rules/1", timezone: "UTC", default: "deny", rules }).value;
 * const facts = { skill: "place_order" };
 * const pool = { spend: [], count: [{ window: "P1D", value: 9, limit: 9 }] };
 * withPool(policy, evaluatePolicy(policy, facts), pool, 0).outcome; //=> "rejected"
 * withPool(policy, evaluatePolicy(policy, facts), undefined, 0).outcome; //=> "approved"
 */
export function withPool(
  policy: Policy,
  evaluation: Evaluation,
  pool: PoolFacts | undefined,
  cartMinor: number,
): PooledEvaluation {
  const used = pool !== undefined && isExceeded(pool, cartMinor);
  if (!used || evaluation.outcome === "rejected") {
    return { ...evaluation, reasons: policyReasons(policy, evaluation) };
  }
  return { ...evaluation, outcome: "rejected", rule: null, reasons: POOL_REASONS };
}

const CURRENCY = /^[A-Z]{3}$/;

function readUsed(value: JsonValue, place: string, rest: readonly string[]) {
  const members = readMembers(value, place, ["window", "limit", ...rest]);
  const window = readChoice(members.window, `${place}.window`, POLICY_WINDOWS);
  return { members, window, limit: readWhole(members.limit, `${place}.limit`, 0) };
}

function readEach<T>(value: JsonValue | undefined, place: string, read: (item: JsonValue) => T) {
  if (!Array.isArray(value)) fail(place, "must be a list");
  return Object.freeze(value.map(read));
}

/**
 * Reads the pool of a record, to evaluate its decision again.
 *
 * @example
 * readPoolFacts({ spend: [], count: [] }).ok; //=> true
 * readPoolFacts({ spend: [] }).reason; //=> "facts_invalid"
 */
export function readPoolFacts(value: JsonValue): Result<PoolFacts, "facts_invalid"> {
  return attempt("facts_invalid", () => {
    const { spend, count } = readMembers(value, "the pool", ["spend", "count"]);
    return Object.freeze({
      spend: readEach(spend, "spend", (item) => {
        const { members, window, limit } = readUsed(item, "spend", ["currency", "minor"]);
        const form = "a currency code of three capital letters";
        const currency = readPattern(members.currency, "spend.currency", CURRENCY, form);
        return { window, currency, minor: readWhole(members.minor, "spend.minor", 0), limit };
      }),
      count: readEach(count, "count", (item) => {
        const { members, window, limit } = readUsed(item, "count", ["value"]);
        return { window, value: readWhole(members.value, "count.value", 0), limit };
      }),
    });
  });
}
