import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { providerActor, type RecordDraft } from "../../domain/audit/drafts.js";
import type { Adjustment } from "../../domain/orders/adjustments/adjustment.js";
import { adjustmentsOf, writeAdjustment } from "../../domain/orders/adjustments/store.js";
import type { Order } from "../../domain/orders/order.js";
import { lockOrder, orderOfAttempt } from "../../domain/orders/store.js";
import { isOpen, type Payment } from "../../domain/payments/payment.js";
import { paymentById } from "../../domain/payments/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { Returned } from "../../payments/provider.js";
import { attemptOf, providerOf } from "../settle.js";
import { notifyOfOrder } from "./notify-of-order.js";
import { revise } from "./whole-order.js";

/** How often an order is asked about anew because it changed meanwhile. */
const TRIES_MAX = 5;

/** What of an order's money goes back, as it is to be written. */
function adjustmentOf(
  { orderId, siteKeyHash }: Order,
  { reference, kind, status, amount, description, createdAt }: Returned,
  now: number,
): Adjustment {
  return {
    adjustmentId: `adj_${reference}`,
    siteKeyHash,
    orderId,
    kind,
    status,
    description,
    amountMinor: amount.minor,
    lines: [],
    occurredAt: createdAt,
    changedAt: now,
  };
}

const before = (known: readonly Adjustment[], { adjustmentId }: Adjustment) =>
  known.find((one) => one.adjustmentId === adjustmentId);

/** Whether a record has to say it; in other words it is the same. */
function changesMoney(known: readonly Adjustment[], found: Adjustment): boolean {
  const { status, amountMinor } = before(known, found) ?? {};
  return status !== found.status || amountMinor !== found.amountMinor;
}

const isNews = (known: readonly Adjustment[], found: Adjustment) =>
  changesMoney(known, found) || before(known, found)?.description !== found.description;

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

/** Whether a person has to answer it: a bank asks, or no longer only asks. */
const begun = ({ kind, status }: Adjustment) => kind === "dispute" && status === "pending";

/** What is in another currency cannot be part of this order's sums. */
function isOfCurrency({ log }: Context, { orderId, amount }: Order, found: Returned): boolean {
  if (found.amount.currency === amount.currency) return true;
  log.error({ order_id: orderId, returned: found.reference }, "order.other_currency");
  return false;
}

/** Writes what is new, or nothing: undefined where the order is not the one that was asked about. */
async function write(
  context: Context,
  tx: Transaction,
  payment: Payment,
  { asked, found }: { readonly asked: Order; readonly found: readonly Returned[] },
): Promise<readonly RecordDraft[] | undefined> {
  const order = await lockOrder(tx, asked.siteKeyHash, asked.orderId);
  if (order?.revision !== asked.revision) return undefined;
  const now = context.clock.now();
  const known = await adjustmentsOf(tx, order.orderId);
  const news = found
    .filter((one) => isOfCurrency(context, order, one))
    .map((one) => adjustmentOf(order, one, now))
    .filter((one) => isNews(known, one));
  if (news.length === 0) return [];
  for (const adjustment of news) await writeAdjustment(tx, adjustment);
  const disputed = news.find(begun);
  await notifyOfOrder(context, tx, await revise(tx, order), {
    topic: "order.adjusted",
    now,
    disputed,
  });
  return news.filter((one) => changesMoney(known, one)).map((one) => recordOf(payment, order, one));
}

/**
 * Asks what of a payment went back, and writes it down. All of it is asked for: whatever was told
 * before, twice or in another order ends the same. What somebody else has written since the provider
 * was asked may be newer, so it is asked again. Throws where the provider does not answer.
 */
export async function followReturns(context: Context, attemptId: string): Promise<void> {
  const payment = await paymentById(context.db, attemptId);
  if (payment === undefined) return;
  // Somebody may just be making an order of it: whoever told of it tells again.
  if (isOpen(payment)) throw new Error("nobody knows yet what comes of the payment");
  const { siteKeyHash } = payment;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const asked = await orderOfAttempt(context.db, attemptId);
    // What was never taken cannot go back, whatever a provider calls its giving up.
    if (asked?.payment !== "captured") return;
    const found = await providerOf(context, payment).returns(attemptOf(payment));
    const { answer: done } = await context.audit.commit(siteKeyHash, async (tx) => {
      const records = await write(context, tx, payment, { asked, found });
      return { records: records ?? [], answer: records !== undefined };
    });
    if (done) return;
  }
  throw new Error("an order changed as often as it was asked about");
}
