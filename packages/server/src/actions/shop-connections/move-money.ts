import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Order } from "../../domain/orders/order.js";
import { orderById } from "../../domain/orders/store.js";
import { isPending, type PaymentChange } from "../../domain/payments/changes/change.js";
import { changesOf } from "../../domain/payments/changes/store.js";
import {
  CHANGED,
  failureText,
  type RequestedChange,
  UNDER_WAY,
} from "../../purchase/orders/change-payment.js";
import type { ShopOrigin } from "../../purchase/orders/line-change.js";
import { overpaidMinor } from "../../purchase/orders/money-left.js";
import { wholeOrder } from "../../purchase/orders/whole-order.js";
import { changePayment } from "../orders/change-payment.js";
import type { ChangeOutcome } from "./order-change.js";

interface Money {
  readonly order: Order;
  readonly origin: ShopOrigin;
  readonly actor: Actor;
  /** The ids of the actors that have reported the event. */
  readonly requesters: readonly string[];
}

function outcomeOf(change: PaymentChange): ChangeOutcome {
  if (isPending(change)) return { state: "pending" };
  if (change.status === "completed") return { state: "done" };
  return { state: "refused", problem: failureText(change) };
}

/**
 * Captures or refunds what the shop system asks for, once: a repeated event finds the change that it made. What is
 * captured already is done, and what the shop refunded before goes back to the buyer then. `conflict`: the order is being changed now.
 */
export async function moveMoney(
  context: Context,
  money: Money,
  change: Omit<RequestedChange, "revision" | "origin">,
): Promise<Result<ChangeOutcome, "conflict">> {
  const { db } = context;
  const { origin, actor, requesters } = money;
  const { siteKeyHash, orderId } = money.order;
  const order = await orderById(db, siteKeyHash, orderId);
  if (order === undefined) throw new Error("an order is gone");
  const changes = await changesOf(db, orderId);
  const own = changes.find(
    ({ kind, shopEventId, requestedBy }) =>
      kind === change.kind && shopEventId === origin.eventId && requesters.includes(requestedBy),
  );
  if (own !== undefined) return ok(outcomeOf(own));
  if (changes.some(isPending)) return refuse("conflict", UNDER_WAY);
  if (change.kind === "capture" && order.payment === "captured") {
    const { refundedMinor = 0 } = change;
    const amountMinor = overpaidMinor(await wholeOrder(db, order), refundedMinor);
    if (refundedMinor === 0 || amountMinor === 0) return ok({ state: "done" });
    return moveMoney(context, money, { kind: "refund", amountMinor, reason: null });
  }
  const requested = { ...change, revision: order.revision, origin };
  const changed = await changePayment(context, order, requested, actor);
  if (changed.ok) return ok(outcomeOf(changed.value));
  const isBusy = changed.detail === CHANGED || changed.detail === UNDER_WAY;
  return isBusy
    ? refuse("conflict", changed.detail)
    : ok({ state: "refused", problem: changed.detail });
}
