import type { PaymentHandler } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { PaymentChange } from "../../domain/payments/changes/change.js";
import { changesOf } from "../../domain/payments/changes/store.js";
import { paymentById } from "../../domain/payments/store.js";
import { attemptOf, providerOf } from "../settle.js";
import { isCapturable, type MoneyLeft, moneyLeft } from "./money-left.js";
import type { WholeOrder } from "./whole-order.js";

/** What an owner sees of a payment, and can do with it. */
export interface PaymentFacts {
  readonly provider: PaymentHandler;
  /** The payment at the provider; null if there is no page for it. */
  readonly url: string | null;
  readonly left: MoneyLeft;
  readonly changes: readonly PaymentChange[];
}

export async function paymentFacts(
  context: Context,
  whole: WholeOrder,
): Promise<PaymentFacts | undefined> {
  const { orderId, attemptId } = whole.order;
  const payment = await paymentById(context.db, attemptId);
  if (payment === undefined) return undefined;
  const provider = providerOf(context, payment);
  const changes = await changesOf(context.db, orderId);
  const { capture, refund } = moneyLeft(whole, changes);
  const left = {
    capture: provider.capture && isCapturable(whole.order, payment) ? capture : null,
    refund: provider.refund ? refund : null,
  };
  const url = (await provider.paymentUrl?.(attemptOf(payment))) ?? null;
  return { provider: payment.provider, url, left, changes };
}
