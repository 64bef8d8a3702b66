import { claimPayment, paymentOfDecision } from "../domain/payments/store.js";
import type { Transaction } from "../infra/db/database.js";

/** Nobody wants it any more: it is looked after at once, and not when its turn comes. */
export async function reconcilePaymentNow(
  tx: Transaction,
  decisionId: string,
  now: number,
): Promise<void> {
  const payment = await paymentOfDecision(tx, decisionId);
  if (payment?.status === "unknown") await claimPayment(tx, payment, now);
}
