import {
  type Evaluation,
  evaluatePolicy,
  type JsonObject,
  type PolicyRefusal,
  policyDurationMs,
  policyReasons,
  readPolicy,
} from "@gatehouse/protocol";
import { currentPolicy, type PublishedPolicy } from "../owners/policies/store.js";
import type { Queries } from "../platform/db/database.js";
import { type Asked, gatherFacts } from "./facts.js";

/** How long a person has, unless the rule says otherwise. */
const REVIEW_MS = 4 * 3_600_000;

/** What the owner's rules say, and what they were asked with. */
export interface Decided extends Evaluation {
  readonly policy: PublishedPolicy;
  /** Why it was refused; null where it was not. */
  readonly refusal: PolicyRefusal | null;
  /** The `decision` of the record: enough for anybody to decide again. */
  readonly record: JsonObject;
  /** How long a person has to look at it, where the rules ask for one. */
  readonly reviewMs: number;
  /** And how many people must say yes. */
  readonly approvalsNeeded: number;
}

/** Asks the rules in force, inside the decision's own transaction. */
export async function decide(tx: Queries, asked: Asked, now: number): Promise<Decided> {
  const policy = await currentPolicy(tx, asked.siteKeyHash);
  if (policy === undefined) throw new Error("a decision was asked for without a policy");
  const read = readPolicy(policy.document);
  if (!read.ok) throw new Error(`a published policy cannot be read: ${read.detail}`);
  const facts = await gatherFacts(tx, asked, read.value, now);
  const evaluation = evaluatePolicy(read.value, facts);
  const { outcome, rule, rules } = evaluation;
  const { refusal, codes } = policyReasons(read.value, evaluation);
  const record = {
    outcome,
    reason_codes: codes,
    facts: facts as unknown as JsonObject,
    rules: rules.map(({ id, result }) => ({ id, result })),
    ...(rule === null ? {} : { rule_id: rule }),
    policy_version: policy.version,
    policy_digest: policy.digest,
  };
  const review = read.value.rules.find(({ id }) => id === rule)?.escalation;
  const reviewMs = (review && policyDurationMs(review.expires_in)) || REVIEW_MS;
  const approvalsNeeded = review?.approvals ?? 1;
  return { ...evaluation, policy, refusal, record, reviewMs, approvalsNeeded };
}
