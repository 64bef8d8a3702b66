import type { Evaluation } from "./evaluate.js";
import type { Policy } from "./model.js";
import { leaves } from "./needs.js";

/** Why rules refuse. A budget that is used up is no fault of the agent's. */
export type PolicyRefusal = "policy_denied" | "budget_exceeded";

/** What an agent is told, and what a record says, of an evaluation. */
export interface PolicyReasons {
  /** Null where nothing is refused. */
  readonly refusal: PolicyRefusal | null;
  /** The `reason_codes` of the record. */
  readonly codes: readonly string[];
}

/** Whether the rule that decided adds something up: what is spent, or how often it was asked for. */
function counted(policy: Policy, { rule, rules }: Evaluation): boolean {
  const deciding = policy.rules.find(({ id }) => id === rule);
  const matched = rules.some(({ id, result }) => id === rule && result === "matched");
  if (deciding === undefined || !matched) return false;
  return [...leaves(deciding.when)].some(({ kind }) => kind === "spend" || kind === "count");
}

/**
 * The reasons that follow from an evaluation. The server writes them and verifiers derive them again,
 * both from here.
 *
 * @example
 * const when = { count: { scope: "agent", window: "PT10M", gt: 0 } };
 * const document = { policy: "rules/1", timezone: "UTC", default: "deny", rules: [{ id: "often", effect: "deny", when }] };
 * const policy = readPolicy(document).value;
 * const facts = { count: [{ scope: "agent", window: "PT10M", value: 1 }] };
 * policyReasons(policy, evaluatePolicy(policy, facts)); //=> { refusal: "budget_exceeded", codes: ["budget_exceeded"] }
 * policyReasons({ ...policy, rules: [] }, { outcome: "escalated", rule: null, rules: [] }).codes; //=> ["review_required", "default"]
 */
export function policyReasons(policy: Policy, evaluation: Evaluation): PolicyReasons {
  const { outcome, rule } = evaluation;
  if (outcome === "approved") return Object.freeze({ refusal: null, codes: Object.freeze([]) });
  const denied = counted(policy, evaluation) ? "budget_exceeded" : "policy_denied";
  const refusal = outcome === "rejected" ? denied : null;
  const codes = [refusal ?? "review_required", ...(rule === null ? ["default"] : [])];
  return Object.freeze({ refusal, codes: Object.freeze(codes) });
}
