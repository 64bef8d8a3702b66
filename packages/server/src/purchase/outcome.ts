import type { ReasonCode } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { RecordDraft } from "../domain/audit/drafts.js";
import { problemOf } from "../domain/checkouts/problem.js";
import { checkoutById, completeCheckout, reopenCheckout } from "../domain/checkouts/store.js";
import { unpaidAnswer } from "../domain/decisions/answers.js";
import type { Decision, StoredAnswer } from "../domain/decisions/decision.js";
import { findDecision, moveDecision, readOfDecision } from "../domain/decisions/store.js";
import { endAttempt } from "../domain/declines/store.js";
import { readOfNotifySettings } from "../domain/notify-settings/store.js";
import type { Order } from "../domain/orders/order.js";
import { insertOrder, nextOrderNumber, readOfOrderNumber } from "../domain/orders/store.js";
import { isOpen, type Payment } from "../domain/payments/payment.js";
import { CHALLENGE_MS_MAX, nextLook, PAGE_MS_MAX } from "../domain/payments/schedule.js";
import { findPayment, readOfPayment, writePayment } from "../domain/payments/store.js";
import { readOfProduct, unreserve } from "../domain/products/store.js";
import { endPaying } from "../domain/reviews/store.js";
import type { Transaction } from "../infra/db/database.js";
import type { SettlementAnswer } from "../payments/provider.js";
import { reopenReview } from "./commit-review.js";
import { countDeclines } from "./declines.js";
import { evaluate } from "./evaluate.js";
import { identityOfBuyer } from "./identity.js";
import { orderObstacle } from "./order-obstacle.js";
import { notifyOfOrder } from "./orders/notify-of-order.js";
import { namingOrder } from "./orders/order-link.js";
import { freshOrder } from "./orders/whole-order.js";
import { isDecline, isNotReserved, outcomeRecord, rejectionOf } from "./outcome-record.js";
import { releaseInShop } from "./reserve-in-shop.js";

/** Announces every attempt that has changed. */
export const PAYMENT_TOPIC = "payments";

interface Step {
  readonly payment: Payment;
  readonly records: readonly RecordDraft[];
}

/** Ends the decision, and the review it may have come from, as rejected. */
async function reject(
  tx: Transaction,
  { escalationId, checkoutId }: Payment,
  decision: Decision | undefined,
  { reason, now }: { readonly reason: ReasonCode; readonly now: number },
): Promise<void> {
  // The site was deleted with its decisions, but the payment remains.
  if (decision === undefined) return;
  const answer = unpaidAnswer(reason, decision.mandateId);
  await moveDecision(tx, decision, { outcome: "rejected", reason, answer }, now);
  if (escalationId !== null) {
    const failed = { status: "payment_failed", reasonCode: reason } as const;
    await endPaying(tx, { siteKeyHash: decision.siteKeyHash, escalationId }, failed);
  }
  if (checkoutId === null) return;
  const tried = { checkoutId, decisionId: decision.decisionId };
  await reopenCheckout(tx, tried, problemOf(reason));
}

/** Writes the rejection before the payment is voided, so that a late answer finds the attempt settled. */
async function declined(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { mustVoid, now }: { readonly mustVoid: boolean; readonly now: number },
): Promise<Step> {
  const decision = await findDecision(tx, payment.decisionId);
  const ended: Payment = { ...payment, status: "declined", nextAt: null };
  const reason = rejectionOf(payment);
  await unreserve(tx, payment.siteKeyHash, payment.items);
  await releaseInShop(context, tx, payment, now);
  const isReopened = await reopenReview(context, tx, payment, { decision, reason, now });
  if (!isReopened) await reject(tx, payment, decision, { reason, now });
  const outcome = isReopened ? "escalated" : "rejected";
  const result = { payment: "declined", outcome, reasons: [reason] };
  const records = [outcomeRecord(ended, result, now)];
  if (!mustVoid) return { payment: ended, records };
  return { payment: { ...ended, status: "releasing", nextAt: nextLook(0, now) }, records };
}

/** The reason of an attempt that timed out. */
const TIMED_OUT = "cancelled";

/** Authorized, but there can be no order, so it is voided after the commit. */
async function authorizedWithoutOrder(
  context: Context,
  tx: Transaction,
  payment: Payment,
  decision: Decision | undefined,
  { reason, now }: { readonly reason: ReasonCode; readonly now: number },
): Promise<Step> {
  const releasing: Payment = {
    ...payment,
    status: "releasing",
    challengeUrl: null,
    nextAt: nextLook(0, now),
  };
  await unreserve(tx, payment.siteKeyHash, payment.items);
  await releaseInShop(context, tx, payment, now);
  await reject(tx, payment, decision, { reason, now });
  const result = { payment: "authorized", outcome: "rejected", reasons: [reason] };
  const record = outcomeRecord(releasing, result, now, { release: "requested" });
  return { payment: releasing, records: [record] };
}

/**
 * Whether rules deny that were published while the buyer was on the provider's page. Those that allowed the page
 * are not asked again: what others bought meanwhile must not take away what this buyer has paid for.
 */
async function deniedSincePage(
  context: Context,
  tx: Transaction,
  { hosted, siteKeyHash, checkoutId }: Payment,
  decision: Decision | undefined,
): Promise<ReasonCode | undefined> {
  const checkout = hosted && (await checkoutById(tx, siteKeyHash, checkoutId ?? ""));
  if (!checkout || decision === undefined) return undefined;
  const { actorId, skill, protocol, amount, evaluatedAt: firstAskedAt } = decision;
  const { outcome, reason, policyVersion } = await evaluate(context, tx, {
    siteKeyHash,
    agent: { agentId: actorId, tags: [] },
    identity: await identityOfBuyer(tx, siteKeyHash, checkout.platform),
    skill,
    protocol,
    amount,
    buyerPresent: true,
    firstAskedAt,
    now: context.clock.now(),
  });
  if (outcome !== "rejected" || policyVersion === decision.policyVersion) return undefined;
  return reason ?? "policy_denied";
}

async function authorized(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { expiresAt, now }: { readonly expiresAt: number | null; readonly now: number },
): Promise<Step> {
  const { siteKeyHash, items, amount, attemptId, escalationId, checkoutId } = payment;
  const decision = await findDecision(tx, payment.decisionId);
  const denied = await deniedSincePage(context, tx, payment, decision);
  const obstacle = denied ?? (await orderObstacle(tx, payment, decision));
  if (decision === undefined || obstacle !== undefined) {
    return authorizedWithoutOrder(context, tx, payment, decision, {
      reason: obstacle ?? "site_not_found",
      now,
    });
  }
  const { decisionId, actorId, skill, protocol, mandateId } = decision;
  const orderId = context.ids.timeId("ord", now);
  const order: Order = {
    orderId,
    number: await nextOrderNumber(tx, siteKeyHash),
    siteKeyHash,
    decisionId,
    attemptId,
    checkoutId,
    pageId: checkoutId === null ? context.ids.id("page") : null,
    actorId,
    skill,
    protocol,
    mandateId: checkoutId === null || protocol !== "ucp" ? mandateId : null,
    items,
    amount,
    payment: "authorized",
    expiresAt,
    capturedMinor: null,
    refundedMinor: 0,
    createdAt: now,
    paymentChangedAt: null,
    revision: 1,
    status: "open",
    erasedAt: null,
    inShop: payment.inShop,
    shopOrderId: null,
  };
  await insertOrder(tx, order);
  if (escalationId !== null) {
    await endPaying(tx, { siteKeyHash, escalationId }, { status: "approved" });
  }
  if (checkoutId !== null) {
    await completeCheckout(tx, { checkoutId, decisionId }, { orderId, now });
  }
  const whole = await freshOrder(tx, order);
  const answer = namingOrder(context.config, payment.answer as StoredAnswer, whole);
  await moveDecision(tx, decision, { outcome: "approved", reason: null, answer }, now);
  await notifyOfOrder(context, tx, whole, { topic: "order.created", now });
  const ended: Payment = { ...payment, status: "authorized", nextAt: null, answer };
  const result = { payment: "authorized", outcome: "approved", reasons: [] };
  return { payment: ended, records: [outcomeRecord(ended, result, now, { order_id: orderId })] };
}

type UnknownAnswer = Extract<SettlementAnswer, { readonly outcome: "unknown" }>;

/** The outcome is unknown: the attempt stays open, and its first unknown answer is recorded. */
function outcomeUnknown(payment: Payment, answer: UnknownAnswer, now: number): Step {
  const first = payment.status === "requested";
  const challengeUrl = answer.challengeUrl ?? payment.challengeUrl;
  // Goods are reserved only for a limited time while a buyer does not answer the bank.
  const waits = challengeUrl === null ? Number.POSITIVE_INFINITY : CHALLENGE_MS_MAX;
  const patience = payment.hosted ? PAGE_MS_MAX : waits;
  const nextAt = Math.min(nextLook(payment.tries, now), payment.requestedAt + patience);
  const open: Payment = { ...payment, status: "unknown", challengeUrl, nextAt };
  const result = { payment: "unknown", outcome: "unavailable", reasons: ["payment_unknown"] };
  return { payment: open, records: first ? [outcomeRecord(open, result, now)] : [] };
}

/**
 * Writes the provider's answer in one transaction: the attempt, the order or the rejection, the agent's answer
 * and the record. Only the first definite answer counts; a later one finds the attempt settled.
 */
export async function writeOutcome(
  context: Context,
  { attemptId, siteKeyHash, decisionId, items, tries }: Payment,
  settlement: SettlementAnswer,
): Promise<Payment> {
  const { audit, clock } = context;
  const reads = () => [
    ...items.map(({ id }) => readOfProduct(siteKeyHash, id)),
    readOfPayment(attemptId),
    readOfDecision(decisionId),
    readOfNotifySettings(siteKeyHash),
    readOfOrderNumber(siteKeyHash),
  ];
  const write = async (tx: Transaction) => {
    const now = clock.now();
    const current = await findPayment(tx, attemptId);
    if (current === undefined) throw new Error("a payment is gone");
    if (!isOpen(current)) return lateAnswer(tx, current, settlement, now);
    // Without a reservation the provider was not asked here, but another process may have asked it meanwhile.
    const isTakenOver = current.tries !== tries && isNotReserved(settlement);
    if (isTakenOver) return { records: [], answer: current };
    const reason = reasonOf(settlement);
    const payment = { ...current, reference: settlement.reference ?? current.reference, reason };
    const step = await applySettlement(context, tx, payment, settlement, now);
    await writePayment(tx, step.payment, now);
    tx.announce(PAYMENT_TOPIC, attemptId);
    // Cards are declined on the provider's page, and not here.
    const isCounted = isDecline(settlement) && !payment.hosted;
    if (settlement.outcome !== "unknown" && !isCounted) await endAttempt(tx, attemptId, now);
    const after = isCounted ? await countDeclines(context, tx, payment, now) : undefined;
    return { records: step.records, answer: step.payment, after };
  };
  return (await audit.commit(siteKeyHash, write, reads)).answer;
}

function reasonOf(settlement: SettlementAnswer): string | null {
  if (settlement.outcome === "timed_out") return TIMED_OUT;
  return settlement.outcome === "authorized" ? null : settlement.reason;
}

/** Rejected, and voided only to make sure: no authorization is known. */
export function isRefused({ status, reason, challengeUrl }: Payment): boolean {
  return status === "releasing" && (reason === TIMED_OUT || challengeUrl !== null);
}

/**
 * Handles an answer to an attempt that is settled. If it was declined and there is an authorization after all,
 * the authorization is voided.
 */
async function lateAnswer(
  tx: Transaction,
  payment: Payment,
  settlement: SettlementAnswer,
  now: number,
): Promise<{ readonly records: readonly RecordDraft[]; readonly answer: Payment }> {
  const refused = payment.status === "declined" || isRefused(payment);
  if (!refused || settlement.outcome !== "authorized") return { records: [], answer: payment };
  const { reference } = settlement;
  const releasing: Payment = {
    ...payment,
    status: "releasing",
    reference,
    reason: null,
    challengeUrl: null,
    nextAt: nextLook(0, now),
  };
  await writePayment(tx, releasing, now);
  const result = { payment: "authorized", outcome: "rejected", reasons: ["payment_declined"] };
  const record = outcomeRecord(releasing, result, now, { release: "requested" });
  return { records: [record], answer: releasing };
}

async function applySettlement(
  context: Context,
  tx: Transaction,
  payment: Payment,
  settlement: SettlementAnswer,
  now: number,
): Promise<Step> {
  if (settlement.outcome === "authorized") {
    return authorized(context, tx, payment, { expiresAt: settlement.expiresAt, now });
  }
  if (settlement.outcome === "unknown") return outcomeUnknown(payment, settlement, now);
  // A buyer who was sent to the bank could still confirm the payment. A page that has closed cannot be paid.
  const isClosed = settlement.outcome === "declined" && settlement.reason === "page_closed";
  const isLost = settlement.outcome === "timed_out" || payment.challengeUrl !== null;
  return declined(context, tx, payment, { mustVoid: isLost && !isClosed, now });
}
