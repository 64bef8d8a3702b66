import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Adjustment, LineQuantity } from "../../domain/orders/adjustments/adjustment.js";
import { writeAdjustment } from "../../domain/orders/adjustments/store.js";
import type { Order } from "../../domain/orders/order.js";
import { lockOrder } from "../../domain/orders/store.js";
import { isPending } from "../../domain/payments/changes/change.js";
import { changesOf } from "../../domain/payments/changes/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import { nextLook } from "../../domain/payments/schedule.js";
import { paymentById, writePayment } from "../../domain/payments/store.js";
import { restock } from "../../domain/products/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { UNDER_WAY } from "./change-payment.js";
import {
  checkFreeWords,
  checkRequestedLines,
  lineChangeRecord,
  type RequestedLines,
  type ShopOrigin,
} from "./line-change.js";
import { notifyOfOrder } from "./notify-of-order.js";
import { revise, type WholeOrder, wholeOrder } from "./whole-order.js";

const CANCELLATIONS_MAX = 100;

export interface Cancellation {
  /** Null cancels everything that has not been sent. */
  readonly lines: RequestedLines;
  /** Shown to the buyer. */
  readonly reason: string | null;
  /** Undefined if a person cancels. */
  readonly origin?: ShopOrigin | undefined;
}

export type CancelFault = "not_found" | "conflict" | "invalid_request";

/**
 * Whether cancelling these lines would void a payment that may be captured at this moment. The provider would
 * then do whichever it hears of first.
 */
async function isBeingCaptured(
  tx: Transaction,
  { order, lines }: WholeOrder,
  cancelled: readonly LineQuantity[],
): Promise<boolean> {
  const isLeft = ({ lineId, total }: WholeOrder["lines"][number]) =>
    total > (cancelled.find(({ id }) => id === lineId)?.quantity ?? 0);
  if (order.payment !== "authorized" || lines.some(isLeft)) return false;
  return (await changesOf(tx, order.orderId)).some(isPending);
}

/** Marks the authorization of a cancelled order to be voided after the commit. */
async function startVoid(tx: Transaction, order: Order, now: number): Promise<Payment | undefined> {
  const payment = await paymentById(tx, order.attemptId);
  if (order.payment !== "authorized" || payment?.status !== "authorized") return undefined;
  const releasing: Payment = { ...payment, status: "releasing", nextAt: nextLook(0, now) };
  await writePayment(tx, releasing, now);
  return releasing;
}

async function writeCancellation(
  context: Context,
  tx: Transaction,
  order: Order,
  {
    lines,
    reason,
    origin,
    actor,
  }: Omit<Cancellation, "lines"> & {
    readonly lines: readonly LineQuantity[];
    readonly actor: Actor;
  },
) {
  const now = context.clock.now();
  const { orderId, siteKeyHash } = order;
  const adjustment: Adjustment = {
    adjustmentId: context.ids.timeId("adj", now),
    siteKeyHash,
    orderId,
    lines,
    kind: "cancellation",
    status: "completed",
    amountMinor: null,
    description: reason,
    shopEventId: origin?.eventId ?? null,
    occurredAt: now,
    changedAt: now,
  };
  await writeAdjustment(tx, adjustment);
  await origin?.write(tx);
  const whole = await revise(tx, order);
  const back = lines.flatMap(({ id, quantity }) => {
    const line = whole.lines.find(({ lineId }) => lineId === id);
    return line === undefined ? [] : [{ id: line.id, quantity }];
  });
  // A shop system that cancels returns the stock itself, and sends the new quantity.
  if (origin === undefined) await restock(tx, siteKeyHash, back);
  const payment =
    whole.order.status === "cancelled" ? await startVoid(tx, whole.order, now) : undefined;
  await notifyOfOrder(context, tx, whole, { topic: "order.cancelled", now, adjusted: adjustment });
  const release = payment === undefined ? undefined : "requested";
  const change = { kind: "cancellation", id: adjustment.adjustmentId, lines, release } as const;
  return {
    records: [lineChangeRecord(order, actor, change, now)],
    answer: ok({ whole, payment }),
  };
}

/** An order after a cancellation, and its payment if the provider must void it now. */
export interface CancelledOrder {
  readonly whole: WholeOrder;
  readonly payment: Payment | undefined;
}

/**
 * Cancels lines that have not been sent and puts them back in stock. If nothing is left of the order, its
 * authorization is to be voided, unless a capture of it is under way. Only the owner refunds captured money.
 */
export async function commitCancellation(
  context: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  { lines: requested, reason, origin }: Cancellation,
  actor: Actor,
): Promise<Result<CancelledOrder, CancelFault>> {
  const { answer } = await context.audit.commit<Result<CancelledOrder, CancelFault>>(
    siteKeyHash,
    async (tx) => {
      const order = await lockOrder(tx, siteKeyHash, orderId);
      if (order === undefined) {
        return { records: [], answer: refuse("not_found", "The site has no such order.") };
      }
      const words = checkFreeWords(order, reason);
      if (!words.ok) return { records: [], answer: words };
      const whole = await wholeOrder(tx, order);
      const left = whole.lines.map(({ lineId: id, total, fulfilled }) => ({
        id,
        quantity: total - fulfilled,
      }));
      const lines = checkRequestedLines(requested, left, "cancelled");
      if (!lines.ok) return { records: [], answer: lines };
      const cancellations = whole.adjustments.filter(({ kind }) => kind === "cancellation");
      if (cancellations.length >= CANCELLATIONS_MAX) {
        return { records: [], answer: refuse("conflict", "The order has too many changes.") };
      }
      if (await isBeingCaptured(tx, whole, lines.value)) {
        return { records: [], answer: refuse("conflict", UNDER_WAY) };
      }
      return writeCancellation(context, tx, order, { lines: lines.value, reason, origin, actor });
    },
  );
  return answer;
}
