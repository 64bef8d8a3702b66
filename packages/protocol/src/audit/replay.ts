import { isJsonObject, type JsonValue } from "../json/value.js";
import { policyDigest, readPolicy } from "../policy/document.js";
import { evaluatePolicy } from "../policy/evaluate.js";
import { readPolicyFacts } from "../policy/facts.js";
import type { Policy } from "../policy/model.js";
import { ok, type Result, refuse } from "../result.js";
import type { PolicyVersion } from "./bundle.js";
import type { AuditRecord } from "./record.js";

/** Why a decision does not follow from the owner's rules. */
export type ReplayFault =
  | "policy_missing"
  | "policy_invalid"
  | "facts_invalid"
  | "decided_otherwise";

/** Policies read before, by the document they came as: a part names few, and each often. */
const known = new WeakMap<PolicyVersion, Promise<Policy | undefined>>();

/** The policy of a version, if its document is one and has the digest it came with. */
function policyOf(version: PolicyVersion): Promise<Policy | undefined> {
  const read = async () => {
    const policy = readPolicy(version.document);
    const same = (await policyDigest(version.document)) === version.digest;
    return policy.ok && same ? policy.value : undefined;
  };
  const policy = known.get(version) ?? read();
  known.set(version, policy);
  return policy;
}

/** One line per rule, as records write them. */
function traceText(rules: JsonValue | undefined): string {
  if (!Array.isArray(rules)) return "";
  return rules
    .map((rule) => (isJsonObject(rule) ? JSON.stringify([rule.id, rule.result]) : ""))
    .join("\n");
}

/**
 * Decides a recorded decision again, from the facts it was made on and the rules it names.
 * Undefined for a record that no policy decided.
 *
 * @example
 * await replayDecision({ type: "chain.genesis" }, []); //=> undefined
 * const decision = { outcome: "approved", policy_digest: "00".repeat(32), facts: {}, rules: [] };
 * (await replayDecision({ type: "mandate.decision", decision }, [])).reason; //=> "policy_missing"
 */
export async function replayDecision(
  record: AuditRecord,
  policies: readonly PolicyVersion[],
): Promise<Result<true, ReplayFault> | undefined> {
  const { decision } = record;
  if (!isJsonObject(decision) || typeof decision.policy_digest !== "string") return undefined;
  if (typeof decision.outcome !== "string") return refuse("facts_invalid", "it has no outcome");
  const named = policies.find(({ digest }) => digest === decision.policy_digest);
  if (named === undefined) return refuse("policy_missing", "the export lacks the policy it names");
  const policy = await policyOf(named);
  if (policy === undefined) {
    return refuse("policy_invalid", "the policy in the export is not the one it names");
  }
  const facts = readPolicyFacts(decision.facts ?? {});
  if (!facts.ok) return refuse("facts_invalid", "the facts it records cannot be read");
  const { outcome, rules } = evaluatePolicy(policy, facts.value);
  if (outcome !== decision.outcome) {
    const said = `it says ${decision.outcome}, and the rules say ${outcome}`;
    return refuse("decided_otherwise", said);
  }
  const { review } = record;
  if (isJsonObject(review) && review.outcome === "approved" && outcome === "rejected") {
    return refuse("decided_otherwise", "a person approved it, and the rules deny it");
  }
  if (traceText(decision.rules) !== traceText(rules as unknown as JsonValue)) {
    return refuse("decided_otherwise", "its rules did not come out as it says");
  }
  return ok(true);
}
