import type { Mandate } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Agent } from "../owners/agents/agent.js";
import { countFailure } from "../owners/agents/locks.js";
import type { RecordDraft } from "../owners/audit/drafts.js";
import { newRecordId } from "../owners/audit/record-id.js";
import type { StoredAnswer } from "../owners/decisions/decision.js";
import { insertDecision } from "../owners/decisions/store.js";
import type { Review } from "../owners/reviews/review.js";
import { insertReview } from "../owners/reviews/store.js";
import type { Site } from "../owners/sites/site.js";
import type { Transaction } from "../platform/db/database.js";
import type { Ids } from "../platform/ids.js";
import { answerTo, DEFAULT_RULE, type Judged, judge } from "./judge-mandate.js";
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

/** A mandate whose sender is known, at the moment it is decided about. */
export interface Admission {
  readonly site: Site;
  readonly mandate: Mandate;
  readonly proven: ProvenFacts;
  readonly requestId: string;
  readonly now: number;
}

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

/** Claims a mandate and decides about it; everything happens in one transaction, or nothing does. */
export async function claim(
  { config, ids }: Context,
  tx: Transaction,
  asked: Admission,
  agent: Agent,
): Promise<Made> {
  const { site, mandate, proven, requestId, now } = asked;
  const { siteKeyHash } = site;
  const { skill, protocol, mandateId } = mandate;
  const found = await judge(tx, asked, agent);
  const { outcome, reason, rule, amount } = found;
  const recordId = newRecordId(ids, now);
  const decisionId = ids.timeId("dec", now);
  const review =
    outcome === "escalated" ? reviewOf(asked, found, { ids, recordId, decisionId }) : undefined;
  const answer = answerTo(found, {
    mandateId,
    recordId,
    now,
    review: review && {
      ...review,
      at: `${config.baseUrl}/v1/m/${site.siteKey}/escalations/${review.escalationId}`,
    },
  });
  await insertDecision(tx, {
    ...{ decisionId, siteKeyHash, actorId: agent.agentId, mandateId, digest: proven.digest },
    ...{ skill, protocol, amount, outcome, reason, ruleId: rule },
    ...{ rulesEvaluated: found.rulesEvaluated, policyVersion: found.policyVersion },
    ...{ recordId, evaluatedAt: now, answer },
  });
  if (review !== undefined) await insertReview(tx, review);
  if (reason !== null && COUNTED.includes(reason)) {
    await countFailure(tx, { siteKeyHash, agentId: agent.agentId, mandateId }, now);
  }
  const content = {
    ...aboutMandate(proven, requestId),
    ...(amount === null ? {} : { amount: { currency: amount.currency, minor: amount.minor } }),
    decision: found.record,
    ...(review === undefined ? {} : { escalation_id: review.escalationId }),
  };
  const record: RecordDraft = { type: "mandate.decision", recordId, occurredAt: now, content };
  return { records: [record], answer: { answer, replayed: false } };
}

/** What is put before a person. */
function reviewOf(
  { site, proven, now }: Admission,
  { rule, amount, reviewMs = 0, approvalsNeeded = 1 }: Judged,
  { ids, recordId, decisionId }: { ids: Ids; recordId: string; decisionId: string },
): Review {
  const { agentId, mandateId, skill, protocol, kid, digest } = proven;
  return {
    ...{ escalationId: ids.id("esc"), siteKeyHash: site.siteKeyHash, decisionId },
    ...{ actorId: agentId, mandateId, status: "pending", ruleId: rule ?? DEFAULT_RULE },
    request: { skill, protocol, amount, kid, digest },
    ...{ approvalsNeeded, approvedBy: [] },
    ...{ recordId, createdAt: now, expiresAt: now + reviewMs, decidedAt: null, decidedBy: null },
    ...{ reasonCode: null, note: null, decidedRecordId: null },
  };
}
