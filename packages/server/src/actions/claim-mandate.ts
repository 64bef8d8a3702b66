import {
  type JsonObject,
  type Mandate,
  type Money,
  parseAmount,
  REASONS,
  type ReasonCode,
} from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { decide } from "../decide/decide.js";
import type { Agent } from "../owners/agents/agent.js";
import { countFailure } from "../owners/agents/locks.js";
import type { RecordDraft } from "../owners/audit/drafts.js";
import { newRecordId } from "../owners/audit/record-id.js";
import type { StoredAnswer } from "../owners/decisions/decision.js";
import { insertDecision } from "../owners/decisions/store.js";
import type { Site } from "../owners/sites/site.js";
import { isoTime } from "../platform/clock.js";
import type { Transaction } from "../platform/db/database.js";
import {
  aboutMandate,
  type MandateFault,
  type ProvenFacts,
  refusalRecord,
} from "./refuse-mandate.js";

/** What a submission comes to: an answer of the contract, or why there is none. */
export type Submitted =
  | { readonly answer: StoredAnswer; readonly replayed: boolean }
  | { readonly fault: MandateFault; readonly mandateId?: string | undefined };

/** Refusals of a known agent that count against it, each mandate once. */
const COUNTED: readonly string[] = [
  ...["policy_denied", "scope_not_granted", "skill_not_live", "mandate_id_conflict"],
  ...["cart_mismatch", "evidence_already_used"],
];
/** Refusals a known agent can cause without end: folded, as those of strangers are. */
export const FOLDED: readonly string[] = ["rate_limited", "agent_temporarily_locked"];

/** What is to pay; undefined where it is no money. */
function amountOf({ cart }: Mandate): Money | null | undefined {
  if (cart === undefined) return null;
  const { total, currency } = cart;
  if (typeof currency !== "string") return undefined;
  if (typeof total !== "string" && typeof total !== "number") return undefined;
  const amount = parseAmount(total, currency);
  return amount.ok ? amount.value : undefined;
}

/** A mandate whose sender is known, at the moment it is decided about. */
export interface Admission {
  readonly site: Site;
  readonly mandate: Mandate;
  readonly proven: ProvenFacts;
  readonly requestId: string;
  readonly now: number;
}

const NO_REVIEW =
  "A person has to look at this, which is not possible here yet. Nothing was approved.";

export interface Made {
  readonly records: readonly RecordDraft[];
  readonly answer: Submitted;
}

/** Refuses a mandate whose sender is known, and records it. */
export async function refused(
  tx: Transaction,
  fault: MandateFault,
  { site, proven, requestId, now }: Admission,
): Promise<Made> {
  const answer = { fault, mandateId: proven.mandateId };
  if (COUNTED.includes(fault.reason)) {
    const { agentId, mandateId } = proven;
    await countFailure(tx, { siteKeyHash: site.siteKeyHash, agentId, mandateId }, now);
  }
  if (FOLDED.includes(fault.reason)) return { records: [], answer };
  return { records: [refusalRecord(fault, { requestId, proven }, now)], answer };
}

/** What was found out about a claimed mandate. */
interface Found {
  readonly outcome: "approved" | "rejected";
  readonly reason: ReasonCode | null;
  readonly rule: string | null;
  readonly rulesEvaluated: number;
  readonly policyVersion: number | null;
  readonly amount: Money | null;
  /** The `decision` of the record. */
  readonly record: JsonObject;
}

/** The answer to a claimed mandate, in the contract's words (interface 2.7). */
function answerOf(
  { outcome, reason, rule, rulesEvaluated }: Found,
  mandateId: string,
  { recordId, now }: { recordId: string; now: number },
): StoredAnswer {
  if (reason !== null) {
    const { status, message } = REASONS[reason];
    const by = rule === null ? {} : { evaluated_rule_id: rule };
    return { status, body: { outcome, reason, message, mandate_id: mandateId, ...by } };
  }
  const evaluated = { evaluated_at: isoTime(now), rules_evaluated: rulesEvaluated };
  return {
    status: 200,
    body: { outcome, mandate_id: mandateId, record_id: recordId, ...evaluated },
  };
}

/** A claimed mandate that the rules were not asked about. */
function withoutRules(reason: "evidence_invalid" | "cart_invalid"): Found {
  const record = { outcome: "rejected", reason_codes: [reason] };
  const none = { rule: null, rulesEvaluated: 0, policyVersion: null, amount: null };
  return { outcome: "rejected", reason, ...none, record };
}

/** What is found out about a mandate once it is claimed; undefined where a person must look at it. */
async function find(tx: Transaction, asked: Admission, agent: Agent): Promise<Found | undefined> {
  const { site, mandate, now } = asked;
  if (mandate.evidence) return withoutRules("evidence_invalid");
  const amount = amountOf(mandate);
  if (amount === undefined) return withoutRules("cart_invalid");
  const { siteKeyHash } = site;
  const { skill, protocol } = mandate;
  const decided = await decide(tx, { siteKeyHash, agent, skill, protocol, amount }, now);
  const { outcome, rule, rules, policy, record } = decided;
  if (outcome === "escalated") return undefined;
  return {
    ...{ outcome, rule, amount, record, rulesEvaluated: rules.length },
    ...{ reason: outcome === "approved" ? null : "policy_denied", policyVersion: policy.version },
  };
}

/** Claims a mandate and decides about it; everything happens in one transaction, or nothing does. */
export async function claim(
  { ids }: Context,
  tx: Transaction,
  asked: Admission,
  agent: Agent,
): Promise<Made> {
  const { site, mandate, proven, requestId, now } = asked;
  const { siteKeyHash } = site;
  const { skill, protocol, mandateId } = mandate;
  const found = await find(tx, asked, agent);
  if (found === undefined) {
    const fault = { reason: "unavailable", message: NO_REVIEW } as const;
    return { records: [], answer: { fault, mandateId } };
  }
  const recordId = newRecordId(ids, now);
  const answer = answerOf(found, mandateId, { recordId, now });
  await insertDecision(tx, {
    ...{ decisionId: ids.timeId("dec", now), siteKeyHash, actorId: agent.agentId, mandateId },
    ...{ digest: proven.digest, skill, protocol, amount: found.amount, outcome: found.outcome },
    ...{ reason: found.reason, ruleId: found.rule, rulesEvaluated: found.rulesEvaluated },
    ...{ policyVersion: found.policyVersion, recordId, evaluatedAt: now, answer },
  });
  if (found.reason !== null && COUNTED.includes(found.reason)) {
    await countFailure(tx, { siteKeyHash, agentId: agent.agentId, mandateId }, now);
  }
  const { amount } = found;
  const content = {
    ...aboutMandate(proven, requestId),
    ...(amount === null ? {} : { amount: { currency: amount.currency, minor: amount.minor } }),
    decision: found.record,
  };
  const record: RecordDraft = { type: "mandate.decision", recordId, occurredAt: now, content };
  return { records: [record], answer: { answer, replayed: false } };
}
