import type { Context } from "../context.js";
import { isOpen, type Payment } from "../domain/payments/payment.js";
import { paymentById, paymentOfDecision } from "../domain/payments/store.js";
import { followAuthorization } from "./follow-authorization.js";
import { lookAtRefused, reconcilePayment } from "./settle-payment.js";

/**
 * Asks the processor how a payment stands, and writes it down: an attempt whose outcome nobody knew
 * is brought to its end, an order shows what became of its authorization. Throws where the processor
 * does not answer: whoever told of it tells again.
 */
export async function followPayment(context: Context, payment: Payment): Promise<void> {
  if (isOpen(payment)) await reconcilePayment(context, payment);
  else if (payment.status === "declined") await lookAtRefused(context, payment);
  else await followAuthorization(context, payment);
}

/** The same of the payment a decision waits for, where it does. */
export async function followDecision(context: Context, decisionId: string): Promise<void> {
  const payment = await paymentOfDecision(context.db, decisionId);
  if (payment !== undefined && isOpen(payment)) await reconcilePayment(context, payment);
}

/** The same of the payment an order was made with. */
export async function followAttempt(context: Context, attemptId: string): Promise<void> {
  const payment = await paymentById(context.db, attemptId);
  if (payment !== undefined) await followPayment(context, payment);
}
