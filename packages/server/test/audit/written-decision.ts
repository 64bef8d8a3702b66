import {
  evaluatePolicy,
  type JsonObject,
  type PolicyVersion,
  policyDigest,
  policyReasons,
  readPolicy,
  readPolicyFacts,
} from "@gatehouse/protocol";
import type { Content } from "./written-log.ts";

const SMALL = { "cart.total": { lt: { EUR: "20.00" } } };
const POLICY = {
  policy: "rules/1",
  timezone: "Europe/Berlin",
  default: "deny",
  rules: [{ id: "small", effect: "allow", when: SMALL }],
};

interface Written {
  readonly content: Content;
  /** What is recorded before it. */
  readonly published: Content;
  readonly policies: readonly PolicyVersion[];
}

/** A decision as records hold it, with the policy it names; `outcome` where it lies. */
export async function writtenDecision(outcome?: string): Promise<Written> {
  const policy = readPolicy(POLICY);
  const agent = { id: "agt_1" };
  const asked = { agent, skill: "place_order", cart: { total: 1250, currency: "EUR" } };
  const facts = readPolicyFacts(asked);
  if (!policy.ok || !facts.ok) throw new Error("not a policy with its facts");
  const digest = await policyDigest(POLICY);
  const made = evaluatePolicy(policy.value, facts.value);
  const decision = {
    ...made,
    ...(outcome && { outcome }),
    facts: facts.value,
    policy_digest: digest,
    rule_id: made.rule,
    reason_codes: policyReasons(policy.value, made).codes,
  } as unknown as JsonObject;
  const policies = [{ version: 1, digest, document: POLICY }];
  const mandate = { mandate_id: "mandate-1", digest: "11".repeat(32) };
  const about = { agent, mandate, skill: "place_order", amount: { currency: "EUR", minor: 1250 } };
  const published = { kind: "policy_published", policy_version: 1, policy_digest: digest };
  return {
    content: { type: "mandate.decision", ...about, decision },
    published: { type: "site.changed", change: published },
    policies,
  };
}
