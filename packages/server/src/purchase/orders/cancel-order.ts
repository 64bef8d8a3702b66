import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import type { Adjustment, LineQuantity } from "../../domain/orders/adjustments/adjustment.js";
import { writeAdjustment } from "../../domain/orders/adjustments/store.js";
import type { Order } from "../../domain/orders/order.js";
import { lockOrder } from "../../domain/orders/store.js";
import type { Payment } from "../../domain/payments/payment.js";
import { nextLook } from "../../domain/payments/schedule.js";
import { paymentById, writePayment } from "../../domain/payments/store.js";
import { restock } from "../../domain/products/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { voidAuthorization } from "../settle.js";
import { type AskedLines, askedLines } from "./asked-lines.js";
import { goodsRecord } from "./goods-record.js";
import { notifyOfOrder } from "./notify-of-order.js";
import { revise, type WholeOrder, wholeOrder } from "./whole-order.js";

/** Cancellations of one order: one for each piece would be many. */
const CANCELLATIONS_MAX = 100;

export interface Cancellation {
  /** What is not to be sent any more; all that was not sent yet where it says nothing. */
  readonly lines: AskedLines;
  /** Shown to the buyer. */
  readonly reason: string | null;
}

export type CancelFault = "not_found" | "conflict" | "invalid_request";

/** Has the authorization of an order given up that nothing is left of. */
async function giveUp(tx: Transaction, order: Order, now: number): Promise<Payment | undefined> {
  const payment = await paymentById(tx, order.attemptId);
  if (order.payment !== "authorized" || payment?.status !== "authorized") return undefined;
  const releasing: Payment = { ...payment, status: "releasing", nextAt: nextLook(0, now) };
  await writePayment(tx, releasing, now);
  return releasing;
}

async function write(
  context: Context,
  tx: Transaction,
  held: Order,
  {
    lines,
    reason,
    actor,
  }: Omit<Cancellation, "lines"> & {
    readonly lines: readonly LineQuantity[];
    readonly actor: Actor;
  },
) {
  const now = context.clock.now();
  const { orderId, siteKeyHash } = held;
  const adjustment: Adjustment = {
    adjustmentId: context.ids.timeId("adj", now),
    siteKeyHash,
    orderId,
    lines,
    kind: "cancellation",
    status: "completed",
    amountMinor: null,
    description: reason,
    occurredAt: now,
    changedAt: now,
  };
  await writeAdjustment(tx, adjustment);
  const whole = await revise(tx, held);
  const back = lines.flatMap(({ id, quantity }) => {
    const line = whole.lines.find(({ lineId }) => lineId === id);
    return line === undefined ? [] : [{ id: line.id, quantity }];
  });
  await restock(tx, siteKeyHash, back);
  const payment =
    whole.order.status === "cancelled" ? await giveUp(tx, whole.order, now) : undefined;
  await notifyOfOrder(context, tx, whole, { topic: "order.cancelled", now });
  const release = payment === undefined ? undefined : "requested";
  const change = { kind: "cancellation", id: adjustment.adjustmentId, lines, release } as const;
  return {
    records: [goodsRecord(held, actor, change, now)],
    answer: ok({ whole, payment }),
  };
}

/**
 * Cancels what was not sent yet, and puts it back in stock. Where nothing is left of the order its
 * authorization is given up; money that was taken already is the owner's to give back.
 */
export async function cancelOrder(
  context: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  { lines: asked, reason }: Cancellation,
  actor: Actor,
): Promise<Result<WholeOrder, CancelFault>> {
  type Done = { readonly whole: WholeOrder; readonly payment: Payment | undefined };
  const { answer } = await context.audit.commit<Result<Done, CancelFault>>(
    siteKeyHash,
    async (tx) => {
      const held = await lockOrder(tx, siteKeyHash, orderId);
      if (held === undefined) {
        return { records: [], answer: refuse("not_found", "The site has no such order.") };
      }
      const whole = await wholeOrder(tx, held);
      const left = whole.lines.map(({ lineId: id, total, fulfilled }) => ({
        id,
        quantity: total - fulfilled,
      }));
      const lines = askedLines(asked, left, "cancelled");
      if (!lines.ok) return { records: [], answer: lines };
      const made = whole.adjustments.filter(({ kind }) => kind === "cancellation");
      if (made.length >= CANCELLATIONS_MAX) {
        return { records: [], answer: refuse("conflict", "The order was changed too often.") };
      }
      return write(context, tx, held, { lines: lines.value, reason, actor });
    },
  );
  if (!answer.ok) return answer;
  const { whole, payment } = answer.value;
  if (payment === undefined) return ok(whole);
  // Written down before it is asked for: where this fails, the job sees to it.
  await voidAuthorization(context, payment).catch((error: unknown) => {
    context.log.warn({ attempt_id: payment.attemptId, error }, "payment.not_released");
  });
  return ok(whole);
}
