import {
  type JsonObject,
  type Mandate,
  type Money,
  parseAmount,
  REASONS,
  type ReasonCode,
} from "@gatehouse/protocol";
import { decide } from "../decide/decide.js";
import type { Agent } from "../owners/agents/agent.js";
import type { StoredAnswer } from "../owners/decisions/decision.js";
import type { Site } from "../owners/sites/site.js";
import { isoTime } from "../platform/clock.js";
import type { Transaction } from "../platform/db/database.js";

/** What an agent is told where no rule, but the policy's default, asks for a person. */
export const DEFAULT_RULE = "default";

/** What is to pay; undefined where it is no money. */
function amountOf({ cart }: Mandate): Money | null | undefined {
  if (cart === undefined) return null;
  const { total, currency } = cart;
  if (typeof currency !== "string") return undefined;
  if (typeof total !== "string" && typeof total !== "number") return undefined;
  const amount = parseAmount(total, currency);
  return amount.ok ? amount.value : undefined;
}

/** What was found out about a claimed mandate. */
export interface Judged {
  readonly outcome: "approved" | "escalated" | "rejected";
  readonly reason: ReasonCode | null;
  readonly rule: string | null;
  readonly rulesEvaluated: number;
  readonly policyVersion: number | null;
  readonly amount: Money | null;
  /** The `decision` of the record. */
  readonly record: JsonObject;
  /** How long a person has to look at it, where one must. */
  readonly reviewMs?: number | undefined;
  readonly approvalsNeeded?: number | undefined;
}

/** What an answer is told of a review. */
interface Escalated {
  readonly escalationId: string;
  readonly ruleId: string;
  readonly expiresAt: number;
  /** Where its state can be asked for. */
  readonly at: string;
}

/** The answer to a claimed mandate, in the contract's words (interface 2.7). */
export function answerTo(
  { outcome, reason, rule, rulesEvaluated }: Judged,
  about: {
    readonly mandateId: string;
    readonly recordId: string;
    readonly now: number;
    readonly review: Escalated | undefined;
  },
): StoredAnswer {
  const { mandateId: mandate_id, recordId: record_id, review } = about;
  const evaluated_at = isoTime(about.now);
  if (review !== undefined) {
    const { escalationId: escalation_id, ruleId: evaluated_rule_id, at: status_url } = review;
    const expires_at = isoTime(review.expiresAt);
    const told = { escalation_id, evaluated_rule_id, expires_at, status_url };
    return { status: 202, body: { outcome, mandate_id, evaluated_at, ...told } };
  }
  if (reason !== null) {
    const { status, message } = REASONS[reason];
    const by = rule === null ? {} : { evaluated_rule_id: rule };
    return { status, body: { outcome, reason, message, mandate_id, ...by } };
  }
  const rules_evaluated = rulesEvaluated;
  return { status: 200, body: { outcome, mandate_id, record_id, evaluated_at, rules_evaluated } };
}

/** A claimed mandate that the rules were not asked about. */
function withoutRules(reason: "evidence_invalid" | "cart_invalid"): Judged {
  const record = { outcome: "rejected", reason_codes: [reason] };
  const none = { rule: null, rulesEvaluated: 0, policyVersion: null, amount: null };
  return { outcome: "rejected", reason, ...none, record };
}

/** What is found out about a mandate once it is claimed. */
export async function judge(
  tx: Transaction,
  { site, mandate, now }: { site: Site; mandate: Mandate; now: number },
  agent: Agent,
): Promise<Judged> {
  if (mandate.evidence) return withoutRules("evidence_invalid");
  const amount = amountOf(mandate);
  if (amount === undefined) return withoutRules("cart_invalid");
  const { siteKeyHash } = site;
  const { skill, protocol } = mandate;
  const decided = await decide(tx, { siteKeyHash, agent, skill, protocol, amount }, now);
  const { outcome, rule, rules, policy, record, reviewMs, approvalsNeeded } = decided;
  return {
    ...{ outcome, rule, amount, record, reviewMs, approvalsNeeded, rulesEvaluated: rules.length },
    ...{ reason: outcome === "rejected" ? "policy_denied" : null, policyVersion: policy.version },
  };
}
