import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { policyDigest, readPolicy } from "../policy/document.js";
import { evaluatePolicy } from "../policy/evaluate.js";
import { readPolicyFacts } from "../policy/facts.js";
import type { Policy } from "../policy/model.js";
import { readPoolFacts, withPool } from "../policy/pool.js";
import { type PolicyReview, policyReview } from "../policy/review.js";
import { ok, type Refusal, type Result, refuse } from "../result.js";
import type { PolicyVersion } from "./bundle.js";
import { factsFault, subjectFault } from "./own-facts.js";
import type { AuditRecord } from "./record.js";

/** Why a decision does not follow from the owner's rules. */
export type ReplayFault =
  | "policy_unnamed"
  | "policy_missing"
  | "policy_invalid"
  | "facts_invalid"
  | "facts_contradicted"
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

const isApprovedReview = ({ review }: AuditRecord) =>
  isJsonObject(review) && review.outcome === "approved";

const isApprovedOrder = ({ type, approval }: AuditRecord) =>
  type === "order.approval" && isJsonObject(approval) && approval.outcome === "approved";

/** Only a refusal needs no rules: it may come before they are asked. */
function unnamedFault(record: AuditRecord): Refusal<ReplayFault> | undefined {
  const { type, decision } = record;
  if (type === "review.decision" && isApprovedReview(record)) {
    return refuse("policy_unnamed", "a person approved it, but it names no rules");
  }
  if (type === "order.approval") {
    return isApprovedOrder(record)
      ? refuse("policy_unnamed", "an order was approved, but it names no rules")
      : undefined;
  }
  if (type !== "mandate.decision" && type !== "checkout.decision") return undefined;
  const outcome = isJsonObject(decision) ? decision.outcome : undefined;
  if (outcome === "rejected") return undefined;
  const problem = typeof outcome === "string" ? `says ${outcome}` : "has no outcome";
  return refuse("policy_unnamed", `it ${problem}, but names no rules`);
}

/** What the rules say of the facts, compared with what the record says of both. */
function decidedOtherwise(record: AuditRecord, decision: JsonObject, policy: Policy) {
  const facts = readPolicyFacts(decision.facts ?? {});
  if (!facts.ok) return refuse("facts_invalid", "the facts it records cannot be read");
  const pool = decision.pool === undefined ? undefined : readPoolFacts(decision.pool);
  if (pool?.ok === false) return refuse("facts_invalid", "the pool it records cannot be read");
  const alone = evaluatePolicy(policy, facts.value);
  const total = facts.value.cart?.total ?? 0;
  const { outcome, rule, rules, reasons } = withPool(policy, alone, pool?.value, total);
  const otherwise = (detail: string) => refuse("decided_otherwise", detail);
  if (outcome !== decision.outcome) {
    return otherwise(`it says ${decision.outcome}, but the rules say ${outcome}`);
  }
  if (isApprovedReview(record) && outcome === "rejected") {
    return otherwise("a person approved it, but the rules decline it");
  }
  if (isApprovedOrder(record) && outcome !== "approved") {
    return otherwise(`an order was approved, but the rules say ${outcome}`);
  }
  if (traceText(decision.rules) !== traceText(rules as unknown as JsonValue)) {
    return otherwise("its rules give other results than it says");
  }
  if ((decision.rule_id ?? null) !== rule) {
    return otherwise("a different rule decided than the one it names");
  }
  if (JSON.stringify(decision.reason_codes) !== JSON.stringify(reasons.codes)) {
    return otherwise("its reasons do not follow from the rules");
  }
  if (decision.policy_version !== undefined && decision.policy_version !== policy.version) {
    return otherwise("its rules have a different version than it says");
  }
  const contradicted = factsFault(record, facts.value) ?? subjectFault(record, outcome);
  return contradicted === undefined ? undefined : refuse("facts_contradicted", contradicted);
}

/**
 * Decides a recorded decision again, from the facts it was made on and the rules it names, and
 * compares the facts with what the record says besides. Undefined for a record that no policy
 * decided and that needs none.
 *
 * @example
 * await replayDecision({ type: "chain.genesis" }, []); //=> undefined
 * const decision = { outcome: "approved", policy_digest: "00".repeat(32), facts: {}, rules: [] };
 * (await replayDecision({ type: "mandate.decision", decision }, [])).reason; //=> "policy_missing"
 * (await replayDecision({ type: "mandate.decision", decision: { outcome: "approved" } }, [])).reason; //=> "policy_unnamed"
 */
export async function replayDecision(
  record: AuditRecord,
  policies: readonly PolicyVersion[],
): Promise<Result<true, ReplayFault> | undefined> {
  const { decision } = record;
  if (!isJsonObject(decision) || decision.policy_digest === undefined) return unnamedFault(record);
  if (typeof decision.outcome !== "string") return refuse("facts_invalid", "it has no outcome");
  const named = policies.find(({ digest }) => digest === decision.policy_digest);
  if (named === undefined) return refuse("policy_missing", "the export lacks the policy it names");
  const policy = await policyOf(named);
  if (policy === undefined) {
    return refuse("policy_invalid", "the policy in the export is not the one it names");
  }
  return decidedOtherwise(record, decision, policy) ?? ok(true);
}

/** How people are to be asked about what a record leaves to them; undefined where it does not. */
export async function reviewWanted(
  { decision }: AuditRecord,
  policies: readonly PolicyVersion[],
): Promise<PolicyReview | undefined> {
  if (!isJsonObject(decision) || decision.outcome !== "escalated") return undefined;
  const named = policies.find(({ digest }) => digest === decision.policy_digest);
  const policy = named && (await policyOf(named));
  const { rule_id } = decision;
  return policy && policyReview(policy, typeof rule_id === "string" ? rule_id : null);
}
