import {
  type CounterName,
  type Evaluation,
  evaluatePolicy,
  factsNeeded,
  type JsonObject,
  ok,
  type Policy,
  type PolicyFacts,
  type PolicyFinding,
  policyDurationMs,
  policyFindings,
  type Result,
  readPolicy,
  readPolicyFacts,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { recordById } from "../owners/audit/store.js";
import type { Decision } from "../owners/decisions/decision.js";
import { countDecisionsBefore, lastDecisions } from "../owners/decisions/store.js";
import { approvalsSince } from "../owners/reviews/store.js";
import { localTime } from "../platform/clock.js";
import type { Queries } from "../platform/db/database.js";

/** Decisions a draft is tried on, unless said otherwise. */
export const TESTED_DECISIONS = 100;
export const TESTED_DECISIONS_MAX = 1_000;

/** What rules said about one mandate. */
interface Verdict {
  readonly outcome: Evaluation["outcome"];
  readonly ruleId: string | null;
}

/** What was decided about a mandate, and what a draft would have decided. */
export interface TestedDecision {
  readonly decision: Decision;
  readonly was: Verdict;
  readonly wouldBe: Verdict;
}

type OutcomeCounts = Record<Evaluation["outcome"], number>;

export interface PolicyTest {
  readonly findings: readonly PolicyFinding[];
  readonly tested: number;
  readonly changed: readonly TestedDecision[];
  readonly summary: { readonly was: OutcomeCounts; readonly wouldBe: OutcomeCounts };
}

/** What rules said and knew at the time, from the signed record; undefined where none were asked. */
async function recalled(db: Queries, { siteKeyHash, recordId, policyVersion }: Decision) {
  if (policyVersion === null) return undefined;
  const stored = await recordById(db, siteKeyHash, recordId);
  if (stored === undefined) throw new Error(`decision without its record ${recordId}`);
  const { decision } = JSON.parse(stored.text) as { decision: JsonObject };
  const facts = readPolicyFacts(decision.facts ?? {});
  if (!facts.ok) throw new Error(`record ${recordId} has no facts: ${facts.detail}`);
  const outcome = decision.outcome as Evaluation["outcome"];
  const was: Verdict = { outcome, ruleId: (decision.rule_id as string | undefined) ?? null };
  return { was, facts: facts.value };
}

/** A decision that counts for those after it. */
interface Counting {
  readonly actorId: string;
  readonly at: number;
  readonly currency: string | undefined;
  readonly minor: number;
  /** From when on it is spent; undefined: never. */
  readonly spentFrom: number | undefined;
}

/** Decides past mandates again, in order, as if a draft had been in force since the first of them. */
class Rehearsal {
  private readonly db: Queries;
  private readonly policy: Policy;
  private readonly first: Decision;
  /** When people approved what was given to them, by decision. */
  private readonly approvals: ReadonlyMap<string, number>;
  private readonly past: Counting[] = [];

  constructor(
    db: Queries,
    policy: Policy,
    first: Decision,
    approvals: ReadonlyMap<string, number>,
  ) {
    this.db = db;
    this.policy = policy;
    this.first = first;
    this.approvals = approvals;
  }

  /** What came before the first is counted as it happened, what came since as the draft has it. */
  private async counted({ scope, window }: CounterName, decision: Decision) {
    const { siteKeyHash, evaluatedAt: now, amount } = decision;
    const actorId = scope === "agent" ? decision.actorId : null;
    const since = now - (policyDurationMs(window) as number);
    const before =
      since < this.first.evaluatedAt
        ? await countDecisionsBefore(this.db, { siteKeyHash, actorId, since }, this.first)
        : { decisions: 0, spent: new Map<string, number>() };
    let { decisions } = before;
    let minor = before.spent.get(amount?.currency ?? "") ?? 0;
    for (const one of this.past) {
      if (one.at <= since || (actorId !== null && one.actorId !== actorId)) continue;
      decisions++;
      const spent = one.spentFrom !== undefined && one.spentFrom <= now;
      if (spent && one.currency === amount?.currency) minor += one.minor;
    }
    return { decisions, minor };
  }

  private async factsOf(decision: Decision, recorded: PolicyFacts): Promise<PolicyFacts> {
    const { skill, protocol, cart, agent } = recorded;
    const needed = factsNeeded(this.policy);
    const spend = [];
    for (const { scope, window } of cart === undefined ? [] : needed.spend) {
      const { minor } = await this.counted({ scope, window }, decision);
      spend.push({ scope, window, currency: cart?.currency ?? "", minor });
    }
    const count = [];
    for (const { scope, window } of needed.count) {
      const { decisions } = await this.counted({ scope, window }, decision);
      count.push({ scope, window, value: decisions });
    }
    return {
      ...(skill !== undefined && { skill }),
      ...(protocol !== undefined && { protocol }),
      ...(cart !== undefined && { cart }),
      ...(agent !== undefined && { agent }),
      time: { local: localTime(this.policy.timezone, decision.evaluatedAt) },
      ...{ spend, count },
    };
  }

  /** Undefined for a decision that no rules were asked for: it only counts. */
  async decide(decision: Decision): Promise<TestedDecision | undefined> {
    const { actorId, evaluatedAt: at, amount, decisionId } = decision;
    const before = await recalled(this.db, decision);
    const again = before && evaluatePolicy(this.policy, await this.factsOf(decision, before.facts));
    const { outcome } = again ?? decision;
    // Nobody was asked about what the draft alone leaves to a person, so nothing is spent there.
    const spentFrom = outcome === "escalated" ? this.approvals.get(decisionId) : at;
    const notPaid = before?.was.outcome === "approved" && decision.outcome === "rejected";
    this.past.push({
      ...{ actorId, at, currency: amount?.currency, minor: amount?.minor ?? 0 },
      spentFrom: outcome === "rejected" || notPaid ? undefined : spentFrom,
    });
    if (before === undefined || again === undefined) return undefined;
    const wouldBe = { outcome: again.outcome, ruleId: again.rule };
    return { decision, was: before.was, wouldBe };
  }
}

async function rehearse(
  db: Queries,
  siteKeyHash: string,
  policy: Policy,
  last: number,
): Promise<readonly TestedDecision[]> {
  const decisions = await lastDecisions(db, siteKeyHash, last);
  const [first] = decisions;
  if (first === undefined) return [];
  const approvals = await approvalsSince(db, siteKeyHash, first.evaluatedAt);
  const rehearsal = new Rehearsal(db, policy, first, approvals);
  const made: TestedDecision[] = [];
  for (const decision of decisions) {
    const one = await rehearsal.decide(decision);
    if (one !== undefined) made.push(one);
    // An embedded database answers without waiting: others get their turn here.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return made;
}

const countsOf = (verdicts: readonly Verdict[]): OutcomeCounts => {
  const counts = { approved: 0, escalated: 0, rejected: 0 };
  for (const { outcome } of verdicts) counts[outcome]++;
  return counts;
};

/** Tries a draft on the last decisions of a site, all at one moment of its database. Nothing is written. */
export async function testPolicy(
  { db }: Context,
  siteKeyHash: string,
  document: JsonObject,
  last: number,
): Promise<Result<PolicyTest, "invalid_request">> {
  const read = readPolicy(document);
  if (!read.ok) return refuse("invalid_request", `policy: ${read.detail}.`);
  const made = await db.snapshot((reader) => rehearse(reader, siteKeyHash, read.value, last));
  return ok({
    findings: policyFindings(read.value),
    tested: made.length,
    changed: made.filter(({ was, wouldBe }) => was.outcome !== wouldBe.outcome),
    summary: {
      was: countsOf(made.map(({ was }) => was)),
      wouldBe: countsOf(made.map(({ wouldBe }) => wouldBe)),
    },
  });
}
