import { REASONS } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Agent } from "../../domain/agents/agent.js";
import { countFailure } from "../../domain/agents/locks/locks.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { type Checkout, emailOf } from "../../domain/checkouts/checkout.js";
import { writeCheckout } from "../../domain/checkouts/store.js";
import type { StoredAnswer } from "../../domain/decisions/decision.js";
import { insertDecision } from "../../domain/decisions/store.js";
import type { Review } from "../../domain/reviews/review.js";
import { insertReview } from "../../domain/reviews/store.js";
import { skillsOf } from "../../domain/sites/snapshot.js";
import type { Transaction } from "../../infra/db/database.js";
import { newRecordId } from "../../infra/ids.js";
import { declineWait, type PaymentCaller } from "../../purchase/payment-caller.js";
import { type Payment, requestPayment } from "../../purchase/request-payment.js";
import { quoteDigest } from "../checkout/quote.js";
import { recordedItems } from "../orders/price-order.js";
import { notifyReviewers } from "../reviews/notify-reviewers.js";
import { pendingReview } from "../reviews/pending-review.js";
import { answerTo, type Judged, judge } from "./judge-mandate.js";
import { aboutMandate, type MandateFault, mandateRejection } from "./refuse-mandate.js";
import type { Admission, Made } from "./submission.js";

/** Refusals of a known agent that count against it, each mandate once. */
const COUNTED: readonly string[] = [
  "policy_denied",
  "scope_not_granted",
  "skill_not_live",
  "mandate_id_conflict",
  "cart_mismatch",
  "evidence_already_used",
];
/** An agent its owner has not admitted is a stranger still, whatever its signature proves. */
const STRANGERS: readonly string[] = ["agent_pending"];

/** Refuses a mandate whose sender is known, and records it: beyond a rate, with others as one. */
export async function refused(
  context: Context,
  tx: Transaction,
  fault: MandateFault,
  asked: Admission,
): Promise<Made> {
  const { proven, requestId, now } = asked;
  const { siteKeyHash } = asked.site;
  const { agentId, mandateId } = proven;
  if (COUNTED.includes(fault.reason)) {
    await countFailure(tx, { siteKeyHash, agentId, mandateId }, now);
  }
  const whose = STRANGERS.includes(fault.reason) ? { siteKeyHash } : { siteKeyHash, agentId };
  const words = strangersSkill(context, asked);
  const about = { requestId, proven, skillCommitment: words?.commitment };
  const rejection = mandateRejection(whose, fault, about, now);
  const taken = await context.rejections.take(tx, rejection, now);
  const answer = { fault, mandateId };
  if (words === undefined || taken.records.length === 0) return { ...taken, answer };
  const remember = await context.strangerWords.keep(tx, siteKeyHash, [words], now);
  const after = () => {
    taken.after?.();
    remember();
  };
  return { ...taken, answer, after };
}

/** The skill that an agent named whom the owner has not admitted, unless the site itself names it. */
function strangersSkill({ strangerWords }: Context, { site, proven, admitted }: Admission) {
  const { skill } = proven;
  if (admitted || skillsOf(site).some(({ id }) => id === skill)) return undefined;
  return strangerWords.commit(site.siteKeyHash, skill);
}

/** What is answered while nobody knows whether it is paid (decisions 6). */
function paymentUnknown(mandateId: string): StoredAnswer {
  const message =
    "It is not known yet whether this was paid. Send the same bytes again: it is never charged twice.";
  const body = { outcome: "unavailable", message, mandate_id: mandateId };
  return { status: REASONS.unavailable.status, body };
}

/** What was decided, and under which ids it is kept. */
interface Claimed {
  readonly found: Judged;
  readonly recordId: string;
  readonly decisionId: string;
  readonly answer: StoredAnswer;
  readonly review: Review | undefined;
}

/** The checkout that is paid for. An agent has no buyer at hand whom a bank could ask. */
const checkoutOf = ({ checkout }: Judged) =>
  checkout === undefined ? null : { checkoutId: checkout.checkoutId, returnUrl: null };

/** The caller that a declined payment counts for. An agent that signs mandates was approved. */
const callerOf = ({ source }: Admission, { checkout }: Judged, agent: Agent): PaymentCaller => ({
  identity: agent.identity,
  admitted: true,
  source,
  buyer: checkout === undefined ? null : emailOf(checkout),
});

/**
 * Why the agent has to wait after declined payments; undefined if it need not. Nothing is stored for the
 * mandate_id, so the same bytes may be approved after the wait.
 */
async function declineFault(
  context: Context,
  tx: Transaction,
  asked: Admission,
  { found, agent }: { readonly found: Judged; readonly agent: Agent },
): Promise<{ readonly fault: MandateFault; count(): void } | undefined> {
  if (found.payment === undefined || found.outcome === "rejected") return undefined;
  const { token } = found.payment;
  const caller = callerOf(asked, found, agent);
  const wait = await declineWait(context, tx, asked.site.siteKeyHash, { caller, token });
  if (wait === undefined) return undefined;
  const { kind, retryAfterS, message } = wait;
  // A wait of an instrument or buyer does not stop the agent; a wait of the agent does.
  const reason = kind === "identity" ? "agent_temporarily_locked" : "payment_declined";
  const reasonCode = kind === "identity" ? "payments_declined" : `${kind}_declined`;
  const fault = { reason, message, retryAfterS, reasonCode, specific: reasonCode } as const;
  const refusals = context.metrics.counter("gatehouse_decline_refusals_total");
  return { fault, count: () => refusals({ kind }) };
}

/** Has what the rules approved paid, where it is to be paid. */
async function requestIfPaid(
  context: Context,
  tx: Transaction,
  { site, proven, requestId, now }: Admission,
  { found, recordId, decisionId, answer, caller }: Claimed & { readonly caller: PaymentCaller },
): Promise<Payment | undefined> {
  const { outcome, items, amount, payment } = found;
  if (outcome !== "approved" || items === undefined) return undefined;
  if (payment === undefined || amount === null) throw new Error("an order without its payment");
  const about = aboutMandate(proven, requestId);
  const { siteKeyHash } = site;
  const checkout = checkoutOf(found);
  const asked = { siteKeyHash, decisionId, escalationId: null, checkout, recordId };
  const { handler: processor, token } = payment;
  return requestPayment(
    context,
    tx,
    { ...asked, processor, amount, items, token, caller, answer, about },
    now,
  );
}

/** Which checkout a mandate pays for, as records say it. */
function aboutCheckout({ checkoutId: checkout_id, quote }: Checkout) {
  return { checkout_id, digest: quoteDigest(quote) };
}

function decisionRecord(
  { proven, requestId, now }: Admission,
  { found, recordId, review }: Claimed,
  paid: boolean,
): RecordDraft {
  const { amount, items, checkout } = found;
  const content = {
    ...aboutMandate(proven, requestId),
    ...(amount === null ? {} : { amount: { currency: amount.currency, minor: amount.minor } }),
    ...(checkout === undefined ? {} : { checkout: aboutCheckout(checkout) }),
    decision: found.record,
    ...(items === undefined ? {} : { items: recordedItems(items) }),
    ...(paid ? { payment: "requested" } : {}),
    ...(review === undefined ? {} : { escalation_id: review.escalationId }),
  };
  return { type: "mandate.decision", recordId, occurredAt: now, content };
}

/** Claims a mandate and decides about it; everything happens in one transaction, or nothing does. */
export async function claim(
  context: Context,
  tx: Transaction,
  asked: Admission,
  agent: Agent,
): Promise<Made> {
  const { config, ids } = context;
  const { site, mandate, proven, now } = asked;
  const { siteKeyHash } = site;
  const { skill, protocol, mandateId } = mandate;
  const found = await judge(context, tx, asked, agent);
  const declined = await declineFault(context, tx, asked, { found, agent });
  if (declined !== undefined) {
    const refusal = await refused(context, tx, declined.fault, asked);
    const after = () => {
      refusal.after?.();
      declined.count();
    };
    return { ...refusal, after };
  }
  const { outcome, reason, rule, amount } = found;
  const recordId = newRecordId(ids, now);
  const decisionId = ids.timeId("dec", now);
  const review =
    outcome === "escalated"
      ? pendingReview(context, escalated(asked, found, agent, { recordId, decisionId }))
      : undefined;
  const at = `${config.baseUrl}/v1/m/${site.siteKey}/escalations/${review?.escalationId}`;
  const answer = answerTo(found, { mandateId, recordId, now, review: review && { ...review, at } });
  const claimed = { found, recordId, decisionId, answer, review };
  const caller = callerOf(asked, found, agent);
  const payment = await requestIfPaid(context, tx, asked, { ...claimed, caller });
  const paid = payment !== undefined;
  await insertDecision(tx, {
    decisionId,
    siteKeyHash,
    mandateId,
    digest: proven.digest,
    actorId: agent.agentId,
    identity: agent.identity,
    pooled: false,
    skill,
    protocol,
    amount,
    outcome: paid ? "paying" : outcome,
    reason,
    ruleId: rule,
    rulesEvaluated: found.rulesEvaluated,
    policyVersion: found.policyVersion,
    recordId,
    evaluatedAt: now,
    answer: paid ? paymentUnknown(mandateId) : answer,
  });
  if (found.checkout !== undefined && outcome !== "rejected") {
    const { tries } = found.checkout;
    const completing = { status: "completing", problem: null, tries: tries + 1 } as const;
    await writeCheckout(tx, { ...found.checkout, ...completing, decisionId });
  }
  if (review !== undefined) await insertReview(tx, review);
  if (review !== undefined)
    await notifyReviewers(tx, { config, ids }, { site, review, agent, now });
  if (reason !== null && COUNTED.includes(reason)) {
    await countFailure(tx, { siteKeyHash, agentId: agent.agentId, mandateId }, now);
  }
  const records = [decisionRecord(asked, claimed, paid)];
  if (paid) return { records, answer: { paying: { decisionId, payment }, replayed: false } };
  return { records, answer: { answer, replayed: false } };
}

/** What a mandate asks for that the rules leave to a person. */
function escalated(
  { site, proven, now }: Admission,
  found: Judged,
  { identity }: Agent,
  ids: { readonly recordId: string; readonly decisionId: string },
) {
  const { rule, amount, items, reviewMs = 0, approvalsNeeded = 1 } = found;
  const { agentId: actorId, mandateId, skill, protocol, kid, digest } = proven;
  const { token, handler } = found.payment ?? {};
  const checkout = checkoutOf(found) ?? undefined;
  return {
    ...ids,
    siteKeyHash: site.siteKeyHash,
    actorId,
    mandateId,
    token,
    now,
    identity,
    pooled: false,
    rule,
    reviewMs,
    approvalsNeeded,
    request: { skill, protocol, amount, kid, digest, items, handler, checkout },
  };
}
