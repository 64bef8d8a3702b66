import type { JsonObject, JsonValue, Money, PaymentHandler } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { RecordDraft } from "../domain/audit/drafts.js";
import type { Checkout } from "../domain/checkouts/checkout.js";
import { problemOf } from "../domain/checkouts/problem.js";
import { writeCheckout } from "../domain/checkouts/store.js";
import {
  approvedAnswer,
  escalatedAnswer,
  NO_ANSWER,
  paymentUnknownAnswer,
  rejectedAnswer,
} from "../domain/decisions/answers.js";
import type { Decision, StoredAnswer } from "../domain/decisions/decision.js";
import { freeMandateId, insertDecision } from "../domain/decisions/store.js";
import { countedCaller, type PaymentCaller } from "../domain/declines/caller.js";
import { insertAttempt } from "../domain/declines/store.js";
import { currentAccount } from "../domain/payments/accounts/store.js";
import { type OrderedItem, type Payment, tokenPlace } from "../domain/payments/payment.js";
import { FIRST_LOOK_MS } from "../domain/payments/schedule.js";
import { insertPayment } from "../domain/payments/store.js";
import { reserve } from "../domain/products/store.js";
import { newReview, type Review, reviewTokenPlace } from "../domain/reviews/review.js";
import { insertReview } from "../domain/reviews/store.js";
import type { Transaction } from "../infra/db/database.js";
import { newRecordId } from "../infra/ids.js";
import type { Evaluation } from "./evaluate.js";
import { isPooled } from "./identity.js";
import { notifyReviewers } from "./notices/review-notice.js";
import { type PurchaseRequest, recordedItems } from "./request.js";
import { isForShop } from "./reserve-in-shop.js";

/** The rule that agents read when the policy's default, and no rule, asks for a review. */
const DEFAULT_RULE = "default";

const RECORD_TYPES = {
  mandate: "mandate.decision",
  checkout: "checkout.decision",
  order_approval: "order.approval",
} as const;

export interface CommittedDecision {
  readonly decisionId: string;
  readonly records: readonly RecordDraft[];
  /** The agent's answer for now. While a payment is under way it says that the outcome is unknown. */
  readonly answer: StoredAnswer;
  /** Settle it after the commit. */
  readonly payment?: Payment | undefined;
  readonly checkout?: Checkout | undefined;
}

type DecisionNames = Pick<Decision, "decisionId" | "recordId">;

function pendingReview(
  { ids, secrets }: Context,
  request: PurchaseRequest,
  { rule, reviewMs, approvalsNeeded }: Evaluation,
  names: DecisionNames,
): Review {
  const { site, agent, identity, mandateId, now, payment, checkout } = request;
  const { skill, protocol, amount, kid, digest, items, questionKey } = request;
  const escalationId = ids.id("esc");
  const returnUrl = payment?.returnUrl ?? null;
  return newReview({
    ...names,
    escalationId,
    siteKeyHash: site.siteKeyHash,
    actorId: agent.agentId,
    identity: identity.id,
    pooled: isPooled(identity),
    mandateId,
    ruleId: rule ?? DEFAULT_RULE,
    request: {
      skill,
      protocol,
      amount,
      kid,
      digest,
      items,
      handler: payment?.provider,
      hosted: payment?.token === null ? true : undefined,
      checkout: checkout && { checkoutId: checkout.checkoutId, returnUrl },
      questionKey,
    },
    sealedToken: payment?.token
      ? secrets.seal(reviewTokenPlace(escalationId), payment.token)
      : null,
    approvalsNeeded,
    createdAt: now,
    expiresAt: now + reviewMs,
  });
}

type Written = DecisionNames & { readonly review: Review | undefined };

function decisionAnswer(
  { config }: Context,
  { kind, site, mandateId, published, now }: PurchaseRequest,
  { reason, message, rule, rulesEvaluated }: Evaluation,
  { recordId, review }: Written,
): StoredAnswer {
  if (kind !== "mandate") return NO_ANSWER;
  if (review !== undefined) {
    const { escalationId } = review;
    const statusUrl = `${config.baseUrl}/v1/m/${site.siteKey}/escalations/${escalationId}`;
    return escalatedAnswer(mandateId, { ...review, statusUrl }, now);
  }
  if (reason !== null) {
    return rejectedAnswer(reason, mandateId, { message, ruleId: rule ?? undefined });
  }
  return approvedAnswer({ mandateId, recordId, rulesEvaluated, published, now });
}

interface PaymentIntent {
  readonly siteKeyHash: string;
  readonly decisionId: string;
  readonly escalationId: string | null;
  readonly checkout: { readonly checkoutId: string; readonly returnUrl: string | null } | null;
  readonly provider: PaymentHandler;
  readonly amount: Money;
  readonly items: readonly OrderedItem[];
  /** Null if the buyer pays on the provider's own page. */
  readonly token: string | null;
  /** A declined payment counts against this caller. */
  readonly caller: PaymentCaller;
  /** The record of the decision that requests the payment. */
  readonly recordId: string;
  /** The agent's answer once the payment is authorized. */
  readonly answer: Payment["answer"];
  /** Who asked for what: members of the payment's records. */
  readonly recordedRequest: JsonObject;
}

/** The account a site is paid through, as the transaction sees it; null if its provider has none. */
async function accountFor(
  { providers }: Context,
  tx: Transaction,
  { siteKeyHash, provider }: PaymentIntent,
): Promise<string | null> {
  if (providers[provider]?.hasAccounts !== true) return null;
  const account = await currentAccount(tx, siteKeyHash);
  if (account === undefined) throw new Error("a site is paid through an account it does not have");
  return account.accountId;
}

/**
 * Writes the payment intent in the transaction of its decision, reserves the stock and seals the token. A crash
 * after the commit leaves a row that `reconcile` settles.
 */
export async function requestPayment(
  context: Context,
  tx: Transaction,
  intent: PaymentIntent,
  now: number,
): Promise<Payment> {
  const { ids, secrets } = context;
  const { token, caller, recordId, items, checkout, ...kept } = intent;
  const attemptId = ids.timeId("pay", now);
  // A page has no instrument that could be declined elsewhere.
  const counted = countedCaller(secrets, intent.siteKeyHash, caller, token ?? attemptId);
  const payment: Payment = {
    ...kept,
    attemptId,
    items,
    inShop: await isForShop(tx, intent.siteKeyHash, items),
    parentRecordId: recordId,
    accountId: await accountFor(context, tx, intent),
    hosted: token === null,
    checkoutId: checkout?.checkoutId ?? null,
    returnUrl: checkout?.returnUrl ?? null,
    challengeUrl: null,
    sealedToken: token === null ? null : secrets.seal(tokenPlace(attemptId), token),
    tokenMac: counted.instrumentMac,
    status: "requested",
    reference: null,
    reason: null,
    requestedAt: now,
    tries: 0,
    nextAt: now + FIRST_LOOK_MS,
  };
  await reserve(tx, intent.siteKeyHash, items);
  await insertPayment(tx, payment);
  await insertAttempt(tx, attemptId, counted, now);
  return payment;
}

async function requestIfApproved(
  context: Context,
  tx: Transaction,
  { site, amount, items, payment, checkout, recordedRequest, now }: PurchaseRequest,
  {
    outcome,
    answer,
    ...names
  }: DecisionNames & Pick<Evaluation, "outcome"> & { answer: StoredAnswer },
): Promise<Payment | undefined> {
  if (outcome !== "approved" || payment === undefined) return undefined;
  if (amount === null || items === undefined) throw new Error("a payment for nothing");
  const { returnUrl, ...paid } = payment;
  const intent = {
    ...names,
    ...paid,
    siteKeyHash: site.siteKeyHash,
    escalationId: null,
    checkout: checkout === undefined ? null : { checkoutId: checkout.checkoutId, returnUrl },
    amount,
    items,
    answer,
    recordedRequest,
  };
  return requestPayment(context, tx, intent, now);
}

/** Writes the try to the checkout. A rejected mandate does not change its checkout; a rejected completion shows the problem there. */
async function writeTry(
  tx: Transaction,
  { kind, checkout }: PurchaseRequest,
  { outcome, reason }: Evaluation,
  decisionId: string,
): Promise<Checkout | undefined> {
  const rejected = outcome === "rejected";
  if (checkout === undefined || (rejected && kind === "mandate")) return checkout;
  const tried: Checkout = {
    ...checkout,
    decisionId,
    status: rejected ? "open" : "completing",
    problem: rejected ? problemOf(reason ?? "policy_denied") : null,
  };
  await writeCheckout(tx, tried);
  return tried;
}

function decisionRecord(
  { kind, recordedRequest, recordedDetails, amount, items, now }: PurchaseRequest,
  { record: decision }: Evaluation,
  { recordId, review }: Written,
  payment: Payment | undefined,
): RecordDraft {
  const content: Record<string, JsonValue> = Object.assign({}, recordedRequest, recordedDetails);
  content.decision = decision;
  if (amount !== null) content.amount = { currency: amount.currency, minor: amount.minor };
  if (items !== undefined) content.items = recordedItems(items);
  if (payment !== undefined) content.payment = "requested";
  if (review !== undefined) content.escalation_id = review.escalationId;
  return { type: RECORD_TYPES[kind], recordId, occurredAt: now, content };
}

/** Writes the decision, its review or payment intent, its checkout and its record in one transaction. */
export async function commitDecision(
  context: Context,
  tx: Transaction,
  request: PurchaseRequest,
  verdict: Evaluation,
  /** About the same mandate; it ended without a payment request. */
  replaced?: Decision,
): Promise<CommittedDecision> {
  const { site, agent, identity, mandateId, now } = request;
  const decisionId = context.ids.timeId("dec", now);
  const recordId = newRecordId(context.ids, now);
  const names = { decisionId, recordId };
  const { outcome, reason, rule, rulesEvaluated, policyVersion } = verdict;
  const review =
    outcome === "escalated" ? pendingReview(context, request, verdict, names) : undefined;
  const written = { decisionId, recordId, review };
  const final = decisionAnswer(context, request, verdict, written);
  const approved = { decisionId, recordId, outcome, answer: final };
  const payment = await requestIfApproved(context, tx, request, approved);
  const isPending = payment !== undefined && request.kind === "mandate";
  const answer = isPending ? paymentUnknownAnswer(mandateId) : final;
  if (replaced !== undefined) await freeMandateId(tx, replaced);
  await insertDecision(tx, {
    decisionId,
    recordId,
    siteKeyHash: site.siteKeyHash,
    mandateId,
    digest: request.digest,
    actorId: agent.agentId,
    identity: identity.id,
    pooled: isPooled(identity),
    skill: request.skill,
    protocol: request.protocol,
    amount: request.amount,
    outcome: payment === undefined ? outcome : "paying",
    reason,
    ruleId: rule,
    rulesEvaluated,
    policyVersion,
    evaluatedAt: now,
    answer,
  });
  const checkout = await writeTry(tx, request, verdict, decisionId);
  if (review !== undefined) {
    await insertReview(tx, review);
    await notifyReviewers(tx, context, { site, review, agent, now });
  }
  const records = [decisionRecord(request, verdict, written, payment)];
  return { decisionId, records, answer, payment, checkout };
}
