import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Order } from "../../domain/orders/order.js";
import type { PaymentChange } from "../../domain/payments/changes/change.js";
import {
  type ChangeFault,
  commitChange,
  failureText,
  type RequestedChange,
} from "../../purchase/orders/change-payment.js";
import { settleChange } from "../../purchase/orders/settle-change.js";

/**
 * Captures or refunds the payment of an order for its owner. If the outcome is unknown, the reconcile job
 * finds it out.
 */
export async function changePayment(
  context: Context,
  order: Pick<Order, "siteKeyHash" | "orderId">,
  requested: RequestedChange,
  actor: Actor,
): Promise<Result<PaymentChange, ChangeFault>> {
  const committed = await commitChange(context, order, requested, actor);
  if (!committed.ok) return committed;
  const settled = await settleChange(context, committed.value, { first: true });
  return settled.status === "failed" ? refuse("conflict", failureText(settled)) : ok(settled);
}
