import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { decisionById } from "../domain/decisions/store.js";
import { orderOfAttempt } from "../domain/orders/store.js";
import type { Payment } from "../domain/payments/payment.js";
import { paymentById, writePayment } from "../domain/payments/store.js";
import { domainOfSite } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import type { VoidResult } from "../payments/provider.js";
import {
  CAPTURED_WITHOUT_ORDER,
  type CapturedPayment,
  capturedEvent,
  capturedMail,
} from "./notices/captured-notice.js";
import { notifyOwner } from "./notices/notify-owner.js";
import { moveAuthorization } from "./orders/move-authorization.js";
import { isRefused } from "./outcome.js";
import { outcomeRecord } from "./outcome-record.js";

/** Rolls the commit back, so that the reconcile job tries again: the owner must learn of captured money. */
class OwnerNotNotifiedError extends Error {}

async function notifyOfCapture(
  { ids }: Context,
  tx: Transaction,
  capture: Omit<CapturedPayment, "domain">,
): Promise<void> {
  const { payment, now } = capture;
  const { siteKeyHash } = payment;
  const notice = { ...capture, domain: (await domainOfSite(tx, siteKeyHash)) ?? "" };
  const sent = await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: CAPTURED_WITHOUT_ORDER,
    now,
    event: (messageId) => capturedEvent(notice, messageId),
    mail: () => capturedMail(notice),
  });
  if (sent === "too_many") throw new OwnerNotNotifiedError("the owner cannot be notified now");
}

/** Writes the end of an authorization that was to be voided: it was, or the owner captured it before. */
export async function writeVoidOutcome(
  context: Context,
  attemptId: string,
  voided: VoidResult,
): Promise<void> {
  const { audit, clock, db } = context;
  const payment = await paymentById(db, attemptId);
  if (payment === undefined) throw new Error("a payment is gone");
  await audit.commit(payment.siteKeyHash, async (tx) => {
    const now = clock.now();
    const current = await paymentById(tx, attemptId);
    if (current?.status !== "releasing") return { records: [], answer: null };
    const isCaptured = voided.outcome === "captured";
    const ended: Payment = { ...current, status: voided.outcome, nextAt: null };
    if ((await orderOfAttempt(tx, attemptId)) !== undefined) {
      // The order was cancelled. Its platform, buyer and owner are notified as of any other change.
      await writePayment(tx, ended, now);
      const captured = isCaptured ? voided.captured : null;
      const state = { status: voided.outcome, expiresAt: null, captured };
      return { records: await moveAuthorization(context, tx, ended, state), answer: null };
    }
    // The rejection is recorded already, and nobody knows whether there ever was an authorization.
    if (isRefused(current) && !isCaptured) {
      await writePayment(tx, { ...current, status: "declined", nextAt: null }, now);
      return { records: [], answer: null };
    }
    await writePayment(tx, ended, now);
    const decision = await decisionById(tx, current.decisionId);
    // A decision has no reason if its review was opened again.
    const reason =
      decision === undefined ? "site_not_found" : (decision.reason ?? "payment_declined");
    const result = { payment: "authorized", outcome: "rejected", reasons: [reason] };
    if (!isCaptured) {
      return { records: [outcomeRecord(ended, result, now, { release: "done" })], answer: null };
    }
    const { captured } = voided;
    await notifyOfCapture(context, tx, { payment: ended, captured, reason, now });
    const more: JsonObject = {
      release: "captured",
      ...(captured && { captured: { currency: captured.currency, minor: captured.minor } }),
    };
    return { records: [outcomeRecord(ended, result, now, more)], answer: null };
  });
}
