import { HOUR_MS } from "../time.js";
import { policyDurationMs } from "./duration.js";
import type { Policy } from "./model.js";

/** How long a person has, unless the rule says otherwise. */
const REVIEW_MS = 4 * HOUR_MS;

/** How a rule, or the default, wants people to be asked. */
export interface PolicyReview {
  /** How many must say yes. */
  readonly approvals: number;
  /** How long they have. */
  readonly ms: number;
}

/**
 * How people are asked about what a rule leaves to them; null stands for the policy's default. The
 * server asks them so and verifiers look whether it did, both by this.
 *
 * @example
 * const rule = { id: "ask", effect: "escalate", when: { skill: { exists: true } }, escalation: { expires_in: "PT1H", approvals: 2 } };
 * const policy = readPolicy({ policy: "rules/1", timezone: "UTC", default: "deny", rules: [rule] }).value;
 * policyReview(policy, "ask"); //=> { approvals: 2, ms: 3_600_000 }
 * policyReview(policy, null); //=> { approvals: 1, ms: 14_400_000 }
 */
export function policyReview(policy: Policy, rule: string | null): PolicyReview {
  const escalation = policy.rules.find(({ id }) => id === rule)?.escalation;
  const ms = (escalation && policyDurationMs(escalation.expires_in)) || REVIEW_MS;
  return Object.freeze({ approvals: escalation?.approvals ?? 1, ms });
}
