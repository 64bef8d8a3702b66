import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { decisionById } from "../domain/decisions/store.js";
import { orderOfAttempt } from "../domain/orders/store.js";
import type { Payment } from "../domain/payments/payment.js";
import { paymentById, writePayment } from "../domain/payments/store.js";
import { domainOfSite } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import type { Released } from "../payments/provider.js";
import {
  CAPTURED_WITHOUT_ORDER,
  type CapturedPayment,
  capturedEvent,
  capturedMail,
} from "./notices/captured-notice.js";
import { notifyOwner } from "./notices/notify-owner.js";
import { moveAuthorization } from "./orders/move-authorization.js";
import { isRefused, outcomeRecord } from "./outcome.js";

/** Not written, so that its turn comes: of somebody's money the owner must hear. */
class NotToldError extends Error {}

async function notifyOfCapture(
  { ids }: Context,
  tx: Transaction,
  about: Omit<CapturedPayment, "domain">,
): Promise<void> {
  const { payment, now } = about;
  const { siteKeyHash } = payment;
  const told = { ...about, domain: (await domainOfSite(tx, siteKeyHash)) ?? "" };
  const sent = await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: CAPTURED_WITHOUT_ORDER,
    now,
    event: (messageId) => capturedEvent(told, messageId),
    mail: () => capturedMail(told),
  });
  if (sent === "too_many") throw new NotToldError("its owner cannot be told now");
}

/** Writes how an authorization ended that was given up: let go, or taken by its owner before. */
export async function writeReleased(
  context: Context,
  attemptId: string,
  released: Released,
): Promise<void> {
  const { audit, clock, db } = context;
  const asked = await paymentById(db, attemptId);
  if (asked === undefined) throw new Error("a payment is gone");
  await audit.commit(asked.siteKeyHash, async (tx) => {
    const now = clock.now();
    const found = await paymentById(tx, attemptId);
    if (found?.status !== "releasing") return { records: [], answer: null };
    const taken = released.outcome === "captured";
    const ended: Payment = { ...found, status: released.outcome, nextAt: null };
    if ((await orderOfAttempt(tx, attemptId)) !== undefined) {
      // Of an order that was cancelled: what became of its money is told like any other.
      await writePayment(tx, ended, now);
      const captured = taken ? released.captured : null;
      const state = { status: released.outcome, lapsesAt: null, captured };
      return { records: await moveAuthorization(context, tx, ended, state), answer: null };
    }
    // Of what was refused nobody knows whether it was ever authorized; its refusal is recorded.
    if (isRefused(found) && !taken) {
      await writePayment(tx, { ...found, status: "declined", nextAt: null }, now);
      return { records: [], answer: null };
    }
    await writePayment(tx, ended, now);
    const reason = (await decisionById(tx, found.decisionId))?.reason ?? "site_not_found";
    const said = { payment: "authorized", outcome: "rejected", reasons: [reason] };
    if (!taken) {
      return { records: [outcomeRecord(ended, said, now, { release: "done" })], answer: null };
    }
    const { captured } = released;
    await notifyOfCapture(context, tx, { payment: ended, captured, reason, now });
    const more: JsonObject = {
      release: "captured",
      ...(captured && { captured: { currency: captured.currency, minor: captured.minor } }),
    };
    return { records: [outcomeRecord(ended, said, now, more)], answer: null };
  });
}
