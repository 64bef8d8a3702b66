import {
  evaluatePolicy,
  type JsonObject,
  type PolicyVersion,
  policyDigest,
  readPolicy,
  readPolicyFacts,
} from "@gatehouse/protocol";
import type { Content } from "./written-log.ts";

const SMALL = { "cart.total": { lt: { EUR: "20.00" } } };
const POLICY = {
  ...{ policy: "rules/1", timezone: "Europe/Berlin", default: "deny" },
  rules: [{ id: "small", effect: "allow", when: SMALL }],
};

/** A decision as records hold it, with the policy it names; `outcome` where it lies. */
export async function writtenDecision(
  outcome?: string,
): Promise<{ readonly content: Content; readonly policies: readonly PolicyVersion[] }> {
  const policy = readPolicy(POLICY);
  const facts = readPolicyFacts({ cart: { total: 1250, currency: "EUR" } });
  if (!policy.ok || !facts.ok) throw new Error("not a policy with its facts");
  const digest = await policyDigest(POLICY);
  const made = { ...evaluatePolicy(policy.value, facts.value), ...(outcome && { outcome }) };
  const decision = { ...made, facts: facts.value, policy_digest: digest } as unknown as JsonObject;
  const policies = [{ version: 1, digest, document: POLICY }];
  return { content: { type: "mandate.decision", decision }, policies };
}
