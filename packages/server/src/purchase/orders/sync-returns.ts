import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { providerActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Adjustment } from "../../domain/orders/adjustments/adjustment.js";
import { adjustmentsOf, writeAdjustment } from "../../domain/orders/adjustments/store.js";
import type { Order } from "../../domain/orders/order.js";
import { lockOrder, orderOfAttempt } from "../../domain/orders/store.js";
import type { PaymentChange } from "../../domain/payments/changes/change.js";
import { changesOf } from "../../domain/payments/changes/store.js";
import { isOpen, type Payment } from "../../domain/payments/payment.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { MoneyReturn } from "../../payments/provider.js";
import { attemptOf, providerOf } from "../settle.js";
import { notifyOfOrder } from "./notify-of-order.js";
import { revise } from "./whole-order.js";

/** Tries when the order keeps changing while the provider is asked. */
const TRIES_MAX = 5;

function adjustmentOf(
  { orderId, siteKeyHash }: Order,
  { reference, changeId, kind, status, amount, description, createdAt }: MoneyReturn,
  changes: readonly PaymentChange[],
  now: number,
): Adjustment {
  const own = changes.find((one) => one.changeId === changeId);
  return {
    adjustmentId: `adj_${reference}`,
    siteKeyHash,
    orderId,
    kind,
    status,
    description: own?.reason ?? description,
    shopEventId: own?.shopEventId ?? null,
    amountMinor: amount.minor,
    lines: [],
    occurredAt: createdAt,
    changedAt: now,
  };
}

/** The adjustments whose description the shop wrote. */
function fromShop(returns: readonly MoneyReturn[], changes: readonly PaymentChange[]) {
  const written = changes.filter(({ reason }) => reason !== null);
  const own = returns.filter((one) => written.some(({ changeId }) => changeId === one.changeId));
  return new Set(own.map(({ reference }) => `adj_${reference}`));
}

const previous = (stored: readonly Adjustment[], { adjustmentId }: Adjustment) =>
  stored.find((one) => one.adjustmentId === adjustmentId);

/** Whether it must be recorded. A new description alone is not. */
function changesMoney(stored: readonly Adjustment[], adjustment: Adjustment): boolean {
  const { status, amountMinor } = previous(stored, adjustment) ?? {};
  return status !== adjustment.status || amountMinor !== adjustment.amountMinor;
}

const isMadeNow = (stored: readonly Adjustment[], adjustment: Adjustment) =>
  adjustment.kind === "refund" &&
  adjustment.status === "completed" &&
  previous(stored, adjustment)?.status !== "completed";

const isNew = (stored: readonly Adjustment[], adjustment: Adjustment) =>
  changesMoney(stored, adjustment) ||
  previous(stored, adjustment)?.description !== adjustment.description;

function recordOf(
  { attemptId, provider }: Payment,
  { amount: { currency } }: Order,
  { adjustmentId: id, orderId, kind, status, amountMinor, changedAt }: Adjustment,
): RecordDraft {
  const content: JsonObject = {
    actor: providerActor(provider),
    attempt_id: attemptId,
    order_id: orderId,
    processor: provider,
    adjustment: { kind, id, status, amount: { currency, minor: amountMinor } },
  };
  return { type: "order.adjustment", occurredAt: changedAt, content };
}

/** Whether a person must respond to it. */
const isOpenDispute = ({ kind, status }: Adjustment) => kind === "dispute" && status === "pending";

/** A return in another currency cannot be added to the order's amounts, so it is logged and skipped. */
function isOfCurrency(
  { log }: Context,
  { orderId, amount }: Order,
  moneyReturn: MoneyReturn,
): boolean {
  if (moneyReturn.amount.currency === amount.currency) return true;
  log.error({ order_id: orderId, returned: moneyReturn.reference }, "order.other_currency");
  return false;
}

/** Writes what is new. Undefined if the order has changed since the provider was asked. */
async function writeReturns(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { before, returns }: { readonly before: Order; readonly returns: readonly MoneyReturn[] },
): Promise<readonly RecordDraft[] | undefined> {
  const order = await lockOrder(tx, before.siteKeyHash, before.orderId);
  if (order?.revision !== before.revision) return undefined;
  const now = context.clock.now();
  const stored = await adjustmentsOf(tx, order.orderId);
  const changes = await changesOf(tx, order.orderId);
  const news = returns
    .filter((one) => isOfCurrency(context, order, one))
    .map((one) => adjustmentOf(order, one, changes, now))
    .filter((one) => isNew(stored, one));
  if (news.length === 0) return [];
  for (const adjustment of news) await writeAdjustment(tx, adjustment);
  const own = fromShop(returns, changes);
  const disputed = news.find(isOpenDispute);
  await notifyOfOrder(context, tx, await revise(tx, order), {
    topic: "order.adjusted",
    now,
    disputed,
    adjusted: disputed ?? news.at(-1),
    refunded: news
      .filter((one) => isMadeNow(stored, one))
      .map(({ adjustmentId, amountMinor, description }) => {
        return { amountMinor, description, isFromShop: own.has(adjustmentId) };
      }),
  });
  return news
    .filter((one) => changesMoney(stored, one))
    .map((one) => recordOf(payment, order, one));
}

/**
 * Reads all refunds and disputes of a payment and writes them. The whole list is read, so repeated and
 * reordered webhooks give the same result. If the order changes meanwhile, the list may be out of date and is
 * read again. Throws if the provider does not answer.
 */
export async function syncReturns(context: Context, attemptId: string): Promise<void> {
  const payment = await paymentById(context.db, attemptId);
  if (payment === undefined) return;
  // An order may be under way. The error makes the provider send its webhook again.
  if (isOpen(payment)) throw new Error("the payment is not settled yet");
  const { siteKeyHash } = payment;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const before = await orderOfAttempt(context.db, attemptId);
    // Without a capture there is nothing to refund, although providers may call a void a refund.
    if (before?.payment !== "captured") return;
    const returns = await providerOf(context, payment).returns(attemptOf(payment));
    const { answer: done } = await context.audit.commit(siteKeyHash, async (tx) => {
      const records = await writeReturns(context, tx, payment, { before, returns });
      return { records: records ?? [], answer: records !== undefined };
    });
    if (done) return;
  }
  throw new Error("the order changed during every try");
}
