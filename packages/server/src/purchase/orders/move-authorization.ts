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

/** The record of an authorization that was captured or voided, or has expired. */
function adjustmentContent({ attemptId, provider }: Payment, order: Order): JsonObject {
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

/** Writes the new state of an order's authorization and returns the records of it. */
export async function moveAuthorization(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { status, expiresAt, captured }: AuthorizationState,
): Promise<readonly RecordDraft[]> {
  const unlocked = await orderOfAttempt(tx, payment.attemptId);
  const order = unlocked && (await lockOrder(tx, unlocked.siteKeyHash, unlocked.orderId));
  // Webhooks arrive late and more than once. An authorization that has ended does not change.
  if (order?.payment !== "authorized") return [];
  const now = context.clock.now();
  const capturedMinor = captured?.minor ?? null;
  // Keep the known expiry if the provider does not say it now.
  const until = status === "authorized" ? (expiresAt ?? order.expiresAt) : null;
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
  const content = adjustmentContent(payment, moved);
  return [{ type: "order.adjustment", occurredAt: now, content }];
}
