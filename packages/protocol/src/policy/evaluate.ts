import type { PolicyFacts } from "./facts.js";
import { type RuleResult, resultOf } from "./match.js";
import type { Policy, PolicyRule } from "./model.js";

/** What a policy decides, with what became of every rule, in document order. */
export interface Evaluation {
  readonly outcome: "approved" | "escalated" | "rejected";
  /** The first rule of the winning effect; null when the default decided. */
  readonly rule: string | null;
  readonly rules: readonly { readonly id: string; readonly result: RuleResult }[];
}

/** The most restrictive effect wins, whatever the order of the rules. */
const BY_RESTRICTION = ["deny", "escalate", "allow"] as const;
const OUTCOMES = { deny: "rejected", escalate: "escalated", allow: "approved" } as const;

/** What is not known restricts and never permits. */
function takesEffect({ mode, effect }: PolicyRule, result: RuleResult | undefined): boolean {
  if (mode === "monitor") return false;
  return result === "matched" || (result === "unknown" && effect !== "allow");
}

/**
 * Decides by a policy. The same policy and facts give the same evaluation on every machine.
 *
 * @example
 * const rules = [{ id: "any-skill", effect: "allow", when: { skill: { exists: true } } }];
 * const policy = readPolicy({ policy: "rules/1", timezone: "UTC", default: "deny", rules }).value;
 * evaluatePolicy(policy, { skill: "get_pricing" }).outcome; //=> "approved"
 * evaluatePolicy(policy, {}); //=> { outcome: "rejected", rule: null, rules: [{ id: "any-skill", result: "not_matched" }] }
 */
export function evaluatePolicy(policy: Policy, facts: PolicyFacts): Evaluation {
  const rules = policy.rules.map(({ id, when }) =>
    Object.freeze({ id, result: resultOf(when, facts) }),
  );
  const effective = policy.rules.filter((rule, i) => takesEffect(rule, rules[i]?.result));
  const effect = BY_RESTRICTION.find((kind) => effective.some((rule) => rule.effect === kind));
  const winner = effective.find((rule) => rule.effect === effect);
  return Object.freeze({
    outcome: OUTCOMES[effect ?? policy.default],
    rule: winner?.id ?? null,
    rules: Object.freeze(rules),
  });
}
