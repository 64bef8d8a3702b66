import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, providerActor, type RecordDraft } from "../../domain/audit/drafts.js";
import { ORDER_TOPIC } from "../../domain/orders/order.js";
import { lockOrder } from "../../domain/orders/store.js";
import { isPending, type PaymentChange } from "../../domain/payments/changes/change.js";
import { changeById, writeChange } from "../../domain/payments/changes/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import { CANCEL_AFTER_MS, IN_FLIGHT_MS_MAX, nextLook } from "../../domain/payments/schedule.js";
import { paymentById } from "../../domain/payments/store.js";
import type { ChangeAnswer } from "../../payments/provider.js";
import { syncPayment } from "../reconcile.js";
import { attemptOf, providerOf, unknownAnswer, withTimeout } from "../settle.js";
import { isCapturable } from "./money-left.js";
import { syncReturns } from "./sync-returns.js";

/** Asks the provider. Every try of a change has the same idempotency key. */
function ask(
  context: Context,
  payment: Payment,
  { changeId, kind, amount }: PaymentChange,
  first: boolean,
): Promise<ChangeAnswer> {
  const provider = providerOf(context, payment);
  const request = { changeId, amount, first };
  const attempt = attemptOf(payment);
  const asking =
    kind === "capture" ? provider.capture?.(attempt, request) : provider.refund?.(attempt, request);
  if (asking === undefined) throw new Error(`${payment.provider} cannot ${kind}`);
  return withTimeout(context, payment, asking);
}

/** Reads whether the money has moved, where a repeated call cannot tell. */
async function readChange(
  context: Context,
  payment: Payment,
  { changeId, kind }: PaymentChange,
): Promise<ChangeAnswer> {
  const provider = providerOf(context, payment);
  const attempt = attemptOf(payment);
  if (kind === "refund") {
    const returns = await provider.returns(attempt);
    const isMade = returns.some((one) => one.changeId === changeId);
    return isMade ? { outcome: "done" } : unknownAnswer("not_found");
  }
  const status = (await provider.readAuthorization(attempt))?.status ?? "payment_not_found";
  if (status === "captured") return { outcome: "done" };
  return status === "authorized" ? unknownAnswer(status) : { outcome: "failed", reason: status };
}

/** Whether the call may be sent again. Meanwhile the order may have been cancelled, or its payment ended. */
async function isRepeatable(
  { db }: Context,
  { kind, siteKeyHash, orderId, attemptId }: PaymentChange,
): Promise<boolean> {
  if (kind === "refund") return true;
  return db.transaction(async (tx) =>
    isCapturable(await lockOrder(tx, siteKeyHash, orderId), await paymentById(tx, attemptId)),
  );
}

/**
 * Finds out what became of a change whose outcome is unknown: repeats the call, then reads. It is only read if
 * its payment is no longer authorized, or after 23 hours, because providers forget the key. What cannot be read
 * by then never happened.
 */
async function resolveUnknownChange(
  context: Context,
  payment: Payment,
  change: PaymentChange,
): Promise<ChangeAnswer> {
  const { requestedAt } = change;
  const isLate = context.clock.now() >= requestedAt + CANCEL_AFTER_MS;
  const isReadOnly = isLate || !(await isRepeatable(context, change));
  const retry = isReadOnly
    ? unknownAnswer(isLate ? "timed_out" : "not_authorized")
    : await ask(context, payment, change, false);
  const isRefused = retry.outcome === "unknown" && retry.refused === true;
  if (!isReadOnly && !isRefused) return retry;
  const read = await withTimeout(context, payment, readChange(context, payment, change));
  const isRead = read.outcome === "unknown" && /^(?:not_found|authorized)$/.test(read.reason);
  const isOver = isLate || context.clock.now() >= requestedAt + IN_FLIGHT_MS_MAX;
  if (!isRead || !isOver) return read;
  return { outcome: "failed", reason: retry.outcome === "done" ? "timed_out" : retry.reason };
}

/** Writes the outcome in one transaction with its record. Only the first definite outcome counts. */
async function writeOutcomeOfChange(
  { audit, clock }: Context,
  payment: Payment,
  { changeId, siteKeyHash }: PaymentChange,
  answer: ChangeAnswer,
): Promise<PaymentChange> {
  const written = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const current = await changeById(tx, changeId);
    if (current === undefined) throw new Error("a change of a payment is gone");
    if (!isPending(current)) return { records: [], answer: current };
    const isNews = answer.outcome !== "unknown" || current.status === "requested";
    const ended: PaymentChange =
      answer.outcome === "unknown"
        ? { ...current, status: "unknown", nextAt: nextLook(current.tries, now) }
        : {
            ...current,
            status: answer.outcome === "done" ? "completed" : "failed",
            failure: answer.outcome === "failed" ? answer.reason : null,
            endedAt: now,
            nextAt: null,
          };
    await writeChange(tx, ended);
    tx.announce(ORDER_TOPIC, siteKeyHash);
    const actor = providerActor(payment.provider);
    return {
      records: isNews ? [changeRecord(payment, ended, actor, now)] : [],
      answer: ended,
    };
  });
  return written.answer;
}

/** Reads the payment into its order, as after a webhook. */
async function syncOrder(context: Context, payment: Payment): Promise<void> {
  await syncPayment(context, payment);
  await syncReturns(context, payment.attemptId);
}

/**
 * Asks the provider for a change that is committed already, and writes the outcome. The order is synced first: if
 * that fails, the change stays open, and the reconcile job repeats both.
 */
export async function settleChange(
  context: Context,
  change: PaymentChange,
  { first }: { readonly first: boolean },
): Promise<PaymentChange> {
  const payment = await paymentById(context.db, change.attemptId);
  if (payment === undefined) throw new Error("a payment is gone");
  context.crashPoint("change.intended");
  const answer = first
    ? await ask(context, payment, change, true)
    : await resolveUnknownChange(context, payment, change);
  context.crashPoint("change.asked");
  if (answer.outcome === "unknown") {
    return writeOutcomeOfChange(context, payment, change, answer);
  }
  const isSynced = await syncOrder(context, payment).then(
    () => true,
    (error: unknown) => {
      context.log.warn({ change_id: change.changeId, error }, "payment.not_followed");
      return false;
    },
  );
  const isOpen = answer.outcome === "done" && !isSynced;
  const known = isOpen ? unknownAnswer("not_followed") : answer;
  const ended = await writeOutcomeOfChange(context, payment, change, known);
  context.crashPoint("change.ended");
  return ended;
}

/** The record of a capture or refund: that it was requested, and its outcome. Without the owner's words. */
export function changeRecord(
  { provider }: Pick<Payment, "provider">,
  { changeId, attemptId, orderId, kind, status, failure, amount }: PaymentChange,
  actor: Actor,
  now: number,
): RecordDraft {
  const change: JsonObject = {
    id: changeId,
    status,
    amount: { currency: amount.currency, minor: amount.minor },
    ...(failure === null ? {} : { reason: failure }),
  };
  const content: JsonObject = {
    actor: { ...actor },
    attempt_id: attemptId,
    order_id: orderId,
    processor: provider,
    [kind]: change,
  };
  return { type: `order.${kind}`, occurredAt: now, content };
}
