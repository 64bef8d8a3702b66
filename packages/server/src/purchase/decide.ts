import {
  type Evaluation,
  evaluatePolicy,
  type JsonObject,
  type Policy,
  type PolicyRefusal,
  policyReview,
  readPolicy,
  withPool,
} from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { PublishedPolicy } from "../domain/policies/policy.js";
import { policyByDigest, policyInForce } from "../domain/policies/store.js";
import type { Queries } from "../infra/db/database.js";
import { type Asked, gatherFacts } from "./facts.js";
import { gatherPool } from "./pool.js";

/** What the owner's rules say, and what they were asked with. */
export interface Decided extends Evaluation {
  readonly policy: Pick<PublishedPolicy, "version" | "digest">;
  /** Why it was refused; null where it was not. */
  readonly refusal: PolicyRefusal | null;
  /** The `decision` of the record: enough for anybody to decide again. */
  readonly record: JsonObject;
  /** How long a person has to look at it, where the rules ask for one. */
  readonly reviewMs: number;
  /** And how many people must say yes. */
  readonly approvalsNeeded: number;
}

type Version = Pick<PublishedPolicy, "version" | "digest">;

/** Policies by their digest: whatever site they are of, the same text says the same. */
const known = new Map<string, Policy>();
const KNOWN_MAX = 1000;

/** The rules in force, as the transaction sees them. */
async function rulesInForce(
  tx: Queries,
  siteKeyHash: string,
): Promise<{ readonly policy: Version; readonly rules: Policy }> {
  const policy = await policyInForce(tx, siteKeyHash);
  if (policy === undefined) throw new Error("a decision was asked for without a policy");
  const kept = known.get(policy.digest);
  if (kept !== undefined) return { policy, rules: kept };
  const whole = await policyByDigest(tx, siteKeyHash, policy.digest);
  const read = readPolicy(whole?.document ?? null);
  if (!read.ok) throw new Error(`a published policy cannot be read: ${read.detail}`);
  if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value as string);
  known.set(policy.digest, read.value);
  return { policy, rules: read.value };
}

/**
 * Asks the rules in force, inside the decision's own transaction. Every approval passes here, so this
 * is where a wrong clock stops them all.
 */
export async function decide(
  { clockGuard }: Pick<Context, "clockGuard">,
  tx: Queries,
  asked: Asked,
  now: number,
): Promise<Decided> {
  await clockGuard.require(tx, now);
  const { policy, rules: read } = await rulesInForce(tx, asked.siteKeyHash);
  const facts = await gatherFacts(tx, asked, read, now);
  const alone = evaluatePolicy(read, facts);
  // Purchases that the rules refuse do not count for the pool.
  const pool = alone.outcome === "rejected" ? undefined : await gatherPool(tx, asked, now);
  const evaluation = withPool(read, alone, pool, asked.amount?.minor ?? 0);
  const { outcome, rule, rules } = evaluation;
  const { refusal, codes } = evaluation.reasons;
  const record = {
    outcome,
    reason_codes: codes,
    facts: facts as unknown as JsonObject,
    ...(pool === undefined ? {} : { pool: pool as unknown as JsonObject }),
    rules: rules.map(({ id, result }) => ({ id, result })),
    ...(rule === null ? {} : { rule_id: rule }),
    policy_version: policy.version,
    policy_digest: policy.digest,
  };
  const { ms: reviewMs, approvals: approvalsNeeded } = policyReview(read, rule);
  return { ...evaluation, policy, refusal, record, reviewMs, approvalsNeeded };
}
