import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Order } from "../owners/orders/order.js";
import { moveOrder, orderOfAttempt } from "../owners/orders/store.js";
import type { Payment } from "../owners/payments/payment.js";
import type { AuthorizationState } from "../owners/payments/processor.js";
import { paymentById } from "../owners/payments/store.js";
import { attemptOf, processorOf } from "./ask-processor.js";

/** What a record says of an authorization that its owner took or gave up, or that nobody took. */
function adjustment({ about, attemptId, processor }: Payment, order: Order): JsonObject {
  const { orderId: order_id, payment: kind, capturedMinor: minor, amount } = order;
  const taken = minor === null ? {} : { amount: { currency: amount.currency, minor } };
  return {
    ...about,
    ...{ attempt_id: attemptId, order_id, processor },
    adjustment: { kind, ...taken },
  };
}

async function writeState(
  { audit, clock }: Context,
  { attemptId, siteKeyHash }: Payment,
  { status, lapsesAt, captured }: AuthorizationState,
): Promise<void> {
  await audit.commit(siteKeyHash, async (tx) => {
    const nothing = { records: [], answer: null };
    const payment = await paymentById(tx, attemptId);
    const order = await orderOfAttempt(tx, attemptId);
    // What has ended stays so: news of before comes late, and more than once.
    if (payment === undefined || order?.payment !== "authorized") return nothing;
    const now = clock.now();
    const capturedMinor = captured?.minor ?? null;
    // That nobody says it now does not make it unknown.
    const until = status === "authorized" ? (lapsesAt ?? order.lapsesAt) : null;
    const moved: Order = { ...order, payment: status, lapsesAt: until, capturedMinor };
    if (status === "authorized" && until === order.lapsesAt) return nothing;
    await moveOrder(tx, moved, now);
    if (status === "authorized") return nothing;
    const content = adjustment(payment, moved);
    return { records: [{ type: "order.adjustment", occurredAt: now, content }], answer: null };
  });
}

/** Asks how an authorization stands, and writes it down. Throws where the processor does not answer. */
export async function followAuthorization(context: Context, payment: Payment): Promise<void> {
  const state = await processorOf(context, payment).follow(attemptOf(payment));
  if (state !== undefined) await writeState(context, payment, state);
}
