import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Order } from "../../domain/orders/order.js";
import {
  type CancelFault,
  type Cancellation,
  commitCancellation,
} from "../../purchase/orders/cancel-order.js";
import type { WholeOrder } from "../../purchase/orders/whole-order.js";
import { voidAuthorization } from "../../purchase/settle.js";

/** Cancels lines of an order. If nothing is left of it, the provider is asked to void its payment. */
export async function cancelOrder(
  context: Context,
  order: Pick<Order, "siteKeyHash" | "orderId">,
  cancellation: Cancellation,
  actor: Actor,
): Promise<Result<WholeOrder, CancelFault>> {
  const cancelled = await commitCancellation(context, order, cancellation, actor);
  if (!cancelled.ok) return cancelled;
  const { whole, payment } = cancelled.value;
  if (payment === undefined) return ok(whole);
  // The void is committed already. If this call fails, the reconcile job repeats it.
  await voidAuthorization(context, payment).catch((error: unknown) => {
    context.log.warn({ attempt_id: payment.attemptId, error }, "payment.not_released");
  });
  return ok(whole);
}
