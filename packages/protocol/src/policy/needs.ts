import type { PolicyWindow } from "./duration.js";
import type { Condition, Policy, PolicyScope } from "./model.js";

/** One counter: whose, and over which window. */
export interface CounterName {
  readonly scope: PolicyScope;
  readonly window: PolicyWindow;
}

/** The counters a policy asks about, each once, in the order it first names them. */
export interface FactsNeeded {
  readonly spend: readonly CounterName[];
  readonly count: readonly CounterName[];
}

/** The conditions on facts inside a condition, in the order they are written. */
export function* leaves(condition: Condition): Generator<Condition> {
  if (condition.kind === "not") yield* leaves(condition.condition);
  else if (condition.kind === "all" || condition.kind === "any") {
    for (const inner of condition.conditions) yield* leaves(inner);
  } else yield condition;
}

/**
 * Which counters must be read before a policy can be evaluated. Watched rules count too: a fact
 * that was not read would show them as unknown.
 *
 * @example
 * const when = { count: { scope: "agent", window: "PT10M", gt: 5 } };
 * const rules = [{ id: "velocity", effect: "escalate", when }];
 * const document = { policy: "rules/1", timezone: "UTC", default: "deny", rules };
 * factsNeeded(readPolicy(document).value); //=> { spend: [], count: [{ scope: "agent", window: "PT10M" }] }
 */
export function factsNeeded(policy: Policy): FactsNeeded {
  let needed = neededBy.get(policy);
  if (needed === undefined) {
    needed = gatherNeeded(policy);
    neededBy.set(policy, needed);
  }
  return needed;
}

/** By policy, which is frozen: every decision asks. */
const neededBy = new WeakMap<Policy, FactsNeeded>();

function gatherNeeded(policy: Policy): FactsNeeded {
  const needed: { spend: CounterName[]; count: CounterName[] } = { spend: [], count: [] };
  for (const rule of policy.rules) {
    for (const leaf of leaves(rule.when)) {
      if (leaf.kind !== "spend" && leaf.kind !== "count") continue;
      const { scope, window } = leaf;
      const names = needed[leaf.kind];
      if (names.some((name) => name.scope === scope && name.window === window)) continue;
      names.push(Object.freeze({ scope, window }));
    }
  }
  return Object.freeze({
    spend: Object.freeze(needed.spend),
    count: Object.freeze(needed.count),
  });
}
