import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { providerActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Order } from "../../domain/orders/order.js";
import { lockOrder, moveOrder, orderOfAttempt } from "../../domain/orders/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import type { Transaction } from "../../infra/db/database.js";
import type { AuthorizationState } from "../../payments/provider.js";
import { notifyOfOrder } from "./notify-of-order.js";
import { revise } from "./whole-order.js";

/** What a record says of an authorization that its owner took or gave up, or that nobody took. */
function adjustment({ attemptId, provider }: Payment, order: Order): JsonObject {
  const { orderId: order_id, payment: kind, capturedMinor: minor, amount } = order;
  const taken = minor === null ? {} : { amount: { currency: amount.currency, minor } };
  return {
    actor: providerActor(provider),
    attempt_id: attemptId,
    order_id,
    processor: provider,
    adjustment: { kind, ...taken },
  };
}

/** Writes what has become of the authorization of an order; what there is to record of it. */
export async function moveAuthorization(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { status, lapsesAt, captured }: AuthorizationState,
): Promise<readonly RecordDraft[]> {
  const found = await orderOfAttempt(tx, payment.attemptId);
  const order = found && (await lockOrder(tx, found.siteKeyHash, found.orderId));
  // What has ended stays so: news of before comes late, and more than once.
  if (order?.payment !== "authorized") return [];
  const now = context.clock.now();
  const capturedMinor = captured?.minor ?? null;
  // That nobody says it now does not make it unknown.
  const until = status === "authorized" ? (lapsesAt ?? order.expiresAt) : null;
  if (status === "authorized" && until === order.expiresAt) return [];
  const ended = status === "authorized" ? null : now;
  const moved: Order = {
    ...order,
    payment: status,
    expiresAt: until,
    capturedMinor,
    paymentChangedAt: ended,
  };
  await moveOrder(tx, moved);
  if (status === "authorized") return [];
  await notifyOfOrder(context, tx, await revise(tx, moved), { topic: "order.payment", now });
  const content = adjustment(payment, moved);
  return [{ type: "order.adjustment", occurredAt: now, content }];
}
