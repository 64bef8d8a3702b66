import type { Context } from "../../context.js";
import { eventSeen, noteEvent } from "../../domain/provider-events/store.js";
import { syncReturns } from "../../purchase/orders/sync-returns.js";
import { syncPayment } from "../../purchase/reconcile.js";
import { type HookCall, paymentOfEvent } from "./stripe-call.js";

/** Events that say how an authorization stands, or that money goes back. Others are not looked at. */
const FOLLOWED = /^(?:payment_intent\.|charge\.(?:captured|expired|updated)$)/;
const RETURNED = /^(?:refund\.|charge\.refund|charge\.dispute\.)/;

/**
 * Takes an event: a hint that something has changed, never what it changed to. That is asked of
 * Stripe, so events may come twice, late and in any order.
 */
export async function takeStripeEvent(context: Context, call: HookCall): Promise<void> {
  const { db, clock } = context;
  const { siteKeyHash } = call;
  const { id, type } = call.body;
  const returned = RETURNED.test(type);
  if (!returned && !FOLLOWED.test(type)) return;
  if (await eventSeen(db, siteKeyHash, id)) return;
  const payment = await paymentOfEvent(context, call);
  if (payment === undefined) return;
  await syncPayment(context, payment);
  if (returned) await syncReturns(context, payment.attemptId);
  // Noted once it had its effect: a crash before this has it told, and followed, again.
  await db.transaction((tx) => noteEvent(tx, { siteKeyHash, eventId: id, type }, clock.now()));
}
