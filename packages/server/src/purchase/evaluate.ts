import {
  type CounterName,
  evaluatePolicy,
  factsNeeded,
  type JsonObject,
  type JsonValue,
  type Money,
  type Policy,
  type PolicyFacts,
  type PoolFacts,
  policyDurationMs,
  policyReview,
  type ReasonCode,
  withPool,
} from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Agent } from "../domain/agents/agent.js";
import { countDecisions, readOfWindow, sumSpent } from "../domain/decisions/budgets/store.js";
import { countPooled, sumPooled } from "../domain/decisions/pool/store.js";
import { platformSettings } from "../domain/platforms/settings/store.js";
import { poolSpend } from "../domain/platforms/settings.js";
import { readOfPolicy } from "../domain/policies/store.js";
import { localTime } from "../infra/clock.js";
import type { ExpectedRead, Queries } from "../infra/db/database.js";
import { DAY_MS, HOUR_MS } from "../infra/time.js";
import { type Identity, isPooled } from "./identity.js";
import type { PurchaseRequest } from "./request.js";

const NOTHING_NEEDED = { spend: [], count: [] };

/** The request that the owner's rules decide about. */
export interface PolicyQuestion {
  readonly siteKeyHash: string;
  readonly agent: Pick<Agent, "agentId" | "tags">;
  /** The identity that the agent or platform counts as. */
  readonly identity: Identity;
  readonly skill: string;
  readonly protocol: string;
  readonly amount: Money | null;
  /** Whether somebody pays on the provider's own page. */
  readonly buyerPresent: boolean;
  /** When the request was first evaluated, if it is evaluated again after a reviewer's approval. */
  readonly firstAskedAt?: number | undefined;
  readonly now: number;
}

export interface Evaluation {
  readonly outcome: "approved" | "escalated" | "rejected";
  /** Why it was rejected; null if it was not. */
  readonly reason: ReasonCode | null;
  /** More detail than the reason's sentence. */
  readonly message?: string | undefined;
  /** The rule that decided; null if the policy's default did, or no rule was evaluated. */
  readonly rule: string | null;
  readonly rulesEvaluated: number;
  /** Null if no rule was evaluated. */
  readonly policyVersion: number | null;
  /** The `decision` of the record, with everything needed to replay it. */
  readonly record: JsonObject;
  /** How long a reviewer has, and how many must approve, if the rules ask for a review. */
  readonly reviewMs: number;
  readonly approvalsNeeded: number;
}

/** Rejects a request before the rules are evaluated. */
export function rejectedWithoutRules(reason: ReasonCode, message?: string): Evaluation {
  return {
    outcome: "rejected",
    reason,
    message,
    rule: null,
    rulesEvaluated: 0,
    policyVersion: null,
    record: { outcome: "rejected", reason_codes: [reason] },
    reviewMs: 0,
    approvalsNeeded: 1,
  };
}

interface Counted {
  readonly siteKeyHash: string;
  readonly identity: Pick<Identity, "id">;
  readonly now: number;
}

function countedBy({ siteKeyHash, identity, now }: Counted, { scope, window }: CounterName) {
  const since = now - (policyDurationMs(window) as number);
  return { siteKeyHash, identity: scope === "agent" ? identity.id : null, since, now };
}

/** What {@link evaluate} will read, if the rules have not changed lately. */
export function readsOfRules(
  { policies }: Pick<Context, "policies">,
  counted: Counted,
  currency: string | undefined,
): readonly ExpectedRead[] {
  const policy = policies.probable(counted.siteKeyHash);
  const { spend, count } = policy === undefined ? NOTHING_NEEDED : factsNeeded(policy);
  const spent = currency === undefined ? [] : spend;
  return [
    readOfPolicy(counted.siteKeyHash),
    ...spent.map((name) => readOfWindow(countedBy(counted, name), currency)),
    ...count.map((name) => readOfWindow(countedBy(counted, name))),
  ];
}

/** The number of earlier decisions. A request that is evaluated again does not count itself. */
async function decidedBefore(tx: Queries, question: PolicyQuestion, name: CounterName) {
  const counted = countedBy(question, name);
  const { firstAskedAt, buyerPresent } = question;
  // People who pay themselves are not counted in the first place.
  const wasCounted = firstAskedAt !== undefined && firstAskedAt > counted.since && !buyerPresent;
  const itself = wasCounted ? 1 : 0;
  return (await countDecisions(tx, counted)) - itself;
}

/** What the rules are asked about a purchase. */
export function questionOf(request: PurchaseRequest): PolicyQuestion {
  const { site, agent, identity, skill, protocol, amount, payment, now } = request;
  const { siteKeyHash } = site;
  const buyerPresent = payment?.token === null;
  return { siteKeyHash, agent, identity, skill, protocol, amount, buyerPresent, now };
}

/** The facts that the policy needs, and no others. */
async function gatherFacts(
  tx: Queries,
  question: PolicyQuestion,
  policy: Policy,
): Promise<PolicyFacts> {
  const { agent, identity, amount, skill, protocol, now } = question;
  const needed = factsNeeded(policy);
  const spend = [];
  for (const { scope, window } of amount === null ? [] : needed.spend) {
    const { currency } = amount as Money;
    const minor = await sumSpent(tx, countedBy(question, { scope, window }), currency);
    spend.push({ scope, window, currency, minor });
  }
  const count = [];
  for (const { scope, window } of needed.count) {
    count.push({ scope, window, value: await decidedBefore(tx, question, { scope, window }) });
  }
  const age_days = Math.floor((now - (identity.knownSince ?? now)) / DAY_MS);
  const facts: { -readonly [Name in keyof PolicyFacts]: PolicyFacts[Name] } = {
    skill,
    protocol,
    agent: { id: agent.agentId, tags: agent.tags, age_days: Math.max(0, age_days) },
    time: { local: localTime(policy.timezone, now) },
  };
  if (amount !== null) facts.cart = { total: amount.minor, currency: amount.currency };
  // Left out where nobody is there, as in the records of earlier versions.
  if (question.buyerPresent) facts.buyer = { present: true };
  if (spend.length > 0) facts.spend = spend;
  if (count.length > 0) facts.count = count;
  return facts;
}

/**
 * How much of their pool platforms that are not admitted have used, without this request, and its limits.
 * Undefined for all other callers.
 */
async function gatherPool(
  tx: Queries,
  { siteKeyHash, identity, amount, firstAskedAt, now }: PolicyQuestion,
): Promise<PoolFacts | undefined> {
  if (!isPooled(identity)) return undefined;
  const { pool } = await platformSettings(tx, siteKeyHash);
  const counted = async (windowMs: number) => {
    const itself = firstAskedAt !== undefined && firstAskedAt > now - windowMs ? 1 : 0;
    return Math.max(0, (await countPooled(tx, siteKeyHash, now - windowMs)) - itself);
  };
  const spend = [];
  if (amount !== null) {
    const { currency } = amount;
    const minor = await sumPooled(tx, siteKeyHash, currency, now - DAY_MS);
    spend.push({ window: "P1D", currency, minor, limit: poolSpend(pool, currency) } as const);
  }
  const count = [
    { window: "PT1H", value: await counted(HOUR_MS), limit: pool.purchasesPerHour } as const,
    { window: "P1D", value: await counted(DAY_MS), limit: pool.purchasesPerDay } as const,
  ];
  return { spend, count };
}

/**
 * Evaluates the rules in force, in the transaction of the decision. Every approval comes through here, so
 * this is where a wrong clock stops them all.
 */
export async function evaluate(
  { clockGuard, policies }: Pick<Context, "clockGuard" | "policies">,
  tx: Queries,
  question: PolicyQuestion,
): Promise<Evaluation> {
  await clockGuard.require(tx, question.now);
  const { policy, version, digest } = await policies.inForce(tx, question.siteKeyHash);
  const facts = await gatherFacts(tx, question, policy);
  const alone = evaluatePolicy(policy, facts);
  // Purchases that the rules refuse do not count for the pool.
  const pool = alone.outcome === "rejected" ? undefined : await gatherPool(tx, question);
  const evaluation = withPool(policy, alone, pool, question.amount?.minor ?? 0);
  const { outcome, rule, rules, reasons } = evaluation;
  const record: Record<string, JsonValue> = {
    outcome,
    reason_codes: reasons.codes,
    facts: facts as unknown as JsonObject,
    rules: rules.map(({ id, result }) => ({ id, result })),
    policy_version: version,
    policy_digest: digest,
  };
  if (pool !== undefined) record.pool = pool as unknown as JsonObject;
  if (rule !== null) record.rule_id = rule;
  const { ms: reviewMs, approvals: approvalsNeeded } = policyReview(policy, rule);
  return {
    outcome,
    reason: reasons.refusal,
    rule,
    rulesEvaluated: rules.length,
    policyVersion: version,
    record,
    reviewMs,
    approvalsNeeded,
  };
}
