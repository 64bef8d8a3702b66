import type { JsonObject, ReasonCode } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { RecordDraft } from "../domain/audit/drafts.js";
import { problemOf } from "../domain/checkouts/problem.js";
import { completeCheckout, isUnderWay, reopenCheckout } from "../domain/checkouts/store.js";
import { rejectedAnswer } from "../domain/decisions/answers.js";
import type { Decision, StoredAnswer } from "../domain/decisions/decision.js";
import { decisionById, moveDecision } from "../domain/decisions/store.js";
import { endAttempt } from "../domain/declines/store.js";
import type { Order } from "../domain/orders/order.js";
import { insertOrder } from "../domain/orders/store.js";
import { isOpen, type Payment } from "../domain/payments/payment.js";
import { CHALLENGE_MS_MAX, nextLook } from "../domain/payments/schedule.js";
import { paymentById, writePayment } from "../domain/payments/store.js";
import { platformByIdentity } from "../domain/platforms/store.js";
import { sell, unreserve } from "../domain/products/store.js";
import { endPaying } from "../domain/reviews/store.js";
import { isPaused } from "../domain/sites/pause/store.js";
import type { Transaction } from "../infra/db/database.js";
import type { SettlementAnswer } from "../payments/provider.js";
import { countDeclines } from "./declines.js";
import { notifyOfOrder } from "./orders/notify-of-order.js";
import { freshOrder } from "./orders/whole-order.js";

/** Told of every attempt that has come further. */
export const PAYMENT_TOPIC = "payments";

/** Failures that say nothing about the card: the shop's key failed, or its owner cancelled. */
const NOT_THE_CARD: readonly string[] = ["processor_refused_key", "canceled", "released"];

const isDecline = (answer: SettlementAnswer) =>
  answer.outcome === "declined" && !NOT_THE_CARD.includes(answer.reason);

interface Step {
  readonly payment: Payment;
  readonly records: readonly RecordDraft[];
}

/** What a record says of an attempt, and of what the mandate has come to. */
export function outcomeRecord(
  { about, amount, attemptId, parentRecordId, provider, reason }: Payment,
  said: { readonly payment: string; readonly outcome: string; readonly reasons: string[] },
  now: number,
  more: JsonObject = {},
): RecordDraft {
  const content = {
    ...about,
    amount: { currency: amount.currency, minor: amount.minor },
    attempt_id: attemptId,
    parent_record_id: parentRecordId,
    processor: provider,
    payment: said.payment,
    decision: { outcome: said.outcome, reason_codes: said.reasons },
    ...(reason === null ? {} : { processor_reason: reason }),
    ...more,
  };
  return { type: "payment.outcome", occurredAt: now, content };
}

/** Ends the decision, and the review it may have come from, as rejected. */
async function reject(
  tx: Transaction,
  { escalationId, checkoutId }: Payment,
  decision: Decision | undefined,
  { reason, now }: { readonly reason: ReasonCode; readonly now: number },
): Promise<void> {
  // With its site a decision is gone; the money is not.
  if (decision === undefined) return;
  const answer = rejectedAnswer(reason, decision.mandateId);
  await moveDecision(tx, decision, { outcome: "rejected", reason, answer }, now);
  if (escalationId !== null) {
    const failed = { status: "payment_failed", reasonCode: reason } as const;
    await endPaying(tx, { siteKeyHash: decision.siteKeyHash, escalationId }, failed);
  }
  if (checkoutId === null) return;
  const tried = { checkoutId, decisionId: decision.decisionId };
  await reopenCheckout(tx, tried, problemOf(reason));
}

async function declined(
  tx: Transaction,
  payment: Payment,
  decision: Decision | undefined,
  now: number,
): Promise<Step> {
  const ended: Payment = { ...payment, status: "declined", nextAt: null };
  await unreserve(tx, payment.siteKeyHash, payment.items);
  await reject(tx, payment, decision, { reason: "payment_declined", now });
  const said = { payment: "declined", outcome: "rejected", reasons: ["payment_declined"] };
  const records = [outcomeRecord(ended, said, now)];
  // Whom a bank has asked may be able to ask it again: what could still come of it is cancelled.
  if (payment.challengeUrl === null) return { payment: ended, records };
  return { payment: { ...ended, status: "releasing", nextAt: nextLook(0, now) }, records };
}

/** The reason of an attempt nobody got an answer about in time. */
const GIVEN_UP = "cancelled";

/**
 * Refused before it is cancelled: an answer that comes late, or is repeated from before, then finds
 * it ended. That it is cancelled too is seen to until it is.
 */
async function timedOut(
  tx: Transaction,
  payment: Payment,
  decision: Decision | undefined,
  now: number,
): Promise<Step> {
  const { payment: ended, records } = await declined(tx, payment, decision, now);
  return { payment: { ...ended, status: "releasing", nextAt: nextLook(0, now) }, records };
}

/** Authorized, and no order can come of it: it is released as soon as this is written. */
async function authorizedWithoutOrder(
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
  await reject(tx, payment, decision, { reason, now });
  const said = { payment: "authorized", outcome: "rejected", reasons: [reason] };
  const record = outcomeRecord(releasing, said, now, { release: "requested" });
  return { payment: releasing, records: [record] };
}

/** Why no order can come of an authorization; undefined where one can: its goods are then sold. */
async function orderObstacle(
  tx: Transaction,
  { siteKeyHash, items, checkoutId, decisionId, challengeUrl }: Payment,
  decision: Decision | undefined,
): Promise<ReasonCode | undefined> {
  if (decision === undefined) return "site_not_found";
  // A buyer may take half an hour to confirm to the bank. If the owner has stopped sales since, it is voided.
  if (challengeUrl !== null) {
    if (await isPaused(tx, siteKeyHash)) return "site_paused";
    const platform = await platformByIdentity(tx, siteKeyHash, decision.identity);
    if (platform?.status === "suspended") return "agent_suspended";
  }
  const wanted = checkoutId === null || (await isUnderWay(tx, { checkoutId, decisionId }));
  if (!wanted) return "checkout_cancelled";
  return (await sell(tx, siteKeyHash, items)) ? undefined : "out_of_stock";
}

async function authorized(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { lapsesAt, now }: { readonly lapsesAt: number | null; readonly now: number },
): Promise<Step> {
  const { siteKeyHash, items, amount, attemptId, escalationId, checkoutId } = payment;
  const decision = await decisionById(tx, payment.decisionId);
  const obstacle = await orderObstacle(tx, payment, decision);
  if (decision === undefined || obstacle !== undefined) {
    return authorizedWithoutOrder(tx, payment, decision, {
      reason: obstacle ?? "site_not_found",
      now,
    });
  }
  const { decisionId, actorId, skill, protocol, mandateId } = decision;
  const answer = payment.answer as StoredAnswer;
  await moveDecision(tx, decision, { outcome: "approved", reason: null, answer }, now);
  const orderId = context.ids.timeId("ord", now);
  const order: Order = {
    orderId,
    siteKeyHash,
    decisionId,
    attemptId,
    checkoutId,
    actorId,
    skill,
    protocol,
    mandateId: checkoutId === null || protocol !== "ucp" ? mandateId : null,
    items,
    amount,
    payment: "authorized",
    expiresAt: lapsesAt,
    capturedMinor: null,
    createdAt: now,
    paymentChangedAt: null,
    revision: 1,
    status: "open",
  };
  await insertOrder(tx, order);
  if (escalationId !== null) {
    await endPaying(tx, { siteKeyHash, escalationId }, { status: "approved" });
  }
  if (checkoutId !== null) {
    await completeCheckout(tx, { checkoutId, decisionId }, { orderId, now });
  }
  await notifyOfOrder(context, tx, await freshOrder(tx, order), { topic: "order.created", now });
  const ended: Payment = { ...payment, status: "authorized", nextAt: null };
  const said = { payment: "authorized", outcome: "approved", reasons: [] };
  return { payment: ended, records: [outcomeRecord(ended, said, now, { order_id: orderId })] };
}

type Unheard = Extract<SettlementAnswer, { readonly outcome: "unknown" }>;

/** Nobody knows: everything stays as it is, and it is asked again later. Recorded once. */
function outcomeUnknown(payment: Payment, said: Unheard, now: number): Step {
  const first = payment.status === "requested";
  const challengeUrl = said.challengeUrl ?? payment.challengeUrl;
  // So long, and no longer, goods are set aside for somebody who does not answer the bank.
  const patience = challengeUrl === null ? Number.POSITIVE_INFINITY : CHALLENGE_MS_MAX;
  const nextAt = Math.min(nextLook(payment.tries, now), payment.requestedAt + patience);
  const open: Payment = { ...payment, status: "unknown", challengeUrl, nextAt };
  const told = { payment: "unknown", outcome: "unavailable", reasons: ["payment_unknown"] };
  return { payment: open, records: first ? [outcomeRecord(open, told, now)] : [] };
}

/**
 * Writes what a provider said: the attempt, the order or the refusal, what the agent will be told,
 * and the record, in one transaction. Whoever comes second finds it done: the first definite answer
 * is the one that counts.
 */
export async function writeOutcome(
  context: Context,
  attemptId: string,
  said: SettlementAnswer,
): Promise<Payment> {
  const { audit, clock, db } = context;
  const asked = await paymentById(db, attemptId);
  if (asked === undefined) throw new Error("a payment is gone");
  const { answer } = await audit.commit(asked.siteKeyHash, async (tx) => {
    const now = clock.now();
    const found = await paymentById(tx, attemptId);
    if (found === undefined) throw new Error("a payment is gone");
    if (!isOpen(found)) return afterTheEnd(tx, found, said, now);
    const reason = reasonOf(said);
    const payment = { ...found, reference: said.reference ?? found.reference, reason };
    const step = await stepOf(context, tx, payment, said, now);
    await writePayment(tx, step.payment, now);
    await tx.announce(PAYMENT_TOPIC, attemptId);
    if (said.outcome !== "unknown" && !isDecline(said)) await endAttempt(tx, attemptId, now);
    const after = isDecline(said) ? await countDeclines(context, tx, payment, now) : undefined;
    return { records: step.records, answer: step.payment, after };
  });
  return answer;
}

function reasonOf(said: SettlementAnswer): string | null {
  if (said.outcome === "given_up") return GIVEN_UP;
  return said.outcome === "authorized" ? null : said.reason;
}

/** Refused, and being cancelled to make sure: nothing of it was ever authorized that we know of. */
export function isRefused({ status, reason, challengeUrl }: Payment): boolean {
  return status === "releasing" && (reason === GIVEN_UP || challengeUrl !== null);
}

/**
 * The first definite answer stands. Where it was a refusal and there is an authorization all the same,
 * that is released: money is held for nobody.
 */
async function afterTheEnd(
  tx: Transaction,
  found: Payment,
  said: SettlementAnswer,
  now: number,
): Promise<{ readonly records: readonly RecordDraft[]; readonly answer: Payment }> {
  const refused = found.status === "declined" || isRefused(found);
  if (!refused || said.outcome !== "authorized") return { records: [], answer: found };
  const { reference } = said;
  const releasing: Payment = {
    ...found,
    status: "releasing",
    reference,
    reason: null,
    challengeUrl: null,
    nextAt: nextLook(0, now),
  };
  await writePayment(tx, releasing, now);
  const told = { payment: "authorized", outcome: "rejected", reasons: ["payment_declined"] };
  const record = outcomeRecord(releasing, told, now, { release: "requested" });
  return { records: [record], answer: releasing };
}

async function stepOf(
  context: Context,
  tx: Transaction,
  payment: Payment,
  said: SettlementAnswer,
  now: number,
): Promise<Step> {
  if (said.outcome === "authorized") {
    return authorized(context, tx, payment, { lapsesAt: said.lapsesAt, now });
  }
  if (said.outcome === "unknown") return outcomeUnknown(payment, said, now);
  const decision = await decisionById(tx, payment.decisionId);
  const end = said.outcome === "given_up" ? timedOut : declined;
  return end(tx, payment, decision, now);
}
