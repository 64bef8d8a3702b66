import type { Context } from "../../context.js";
import type { Order } from "../../domain/orders/order.js";
import {
  expiringOrders,
  noteExpiryNotified,
  orderById,
  overdueOrders,
  recheckOrderLater,
} from "../../domain/orders/store.js";
import { domainOfSite } from "../../domain/sites/store.js";
import { HOUR_MS } from "../../infra/time.js";
import { notifyOwner } from "../../purchase/notices/notify-owner.js";
import { syncPaymentOfAttempt } from "../../purchase/reconcile.js";
import { AUTHORIZATION_LAPSES, lapseEvent, lapseMail } from "./lapse-notice.js";

/** How long before an authorization lapses its owner is told. */
const NOTICE_MS = 48 * HOUR_MS;
const ASK_AGAIN_MS = 6 * HOUR_MS;
/** Orders looked at in one go of the job. */
const ORDERS_MAX = 200;

class TooManyError extends Error {}

/** Tells an owner, unless it is over by now: nobody may have said so. */
async function tell(context: Context, { attemptId, orderId, siteKeyHash }: Order): Promise<void> {
  const { db, clock, ids, log } = context;
  await syncPaymentOfAttempt(context, attemptId).catch((error: unknown) => {
    log.warn({ attempt_id: attemptId, error }, "payment.not_followed");
  });
  const now = clock.now();
  await db.transaction(async (tx) => {
    const order = await orderById(tx, siteKeyHash, orderId);
    if (order?.payment !== "authorized" || order.expiresAt === null) return;
    if (!(await noteExpiryNotified(tx, orderId, now))) return;
    const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
    const about = { domain, order, lapsesAt: order.expiresAt, now };
    const told = await notifyOwner(tx, ids, {
      siteKeyHash,
      topic: AUTHORIZATION_LAPSES,
      now,
      event: (messageId) => lapseEvent(about, messageId),
      mail: () => lapseMail(about),
    });
    // Not noted as told, so that its turn comes.
    if (told === "too_many") throw new TooManyError();
  });
}

/** Asks about an order that should have lapsed, and lets others go first the next time. */
async function ask(context: Context, { attemptId, orderId }: Order): Promise<void> {
  const { clock, db } = context;
  await db.transaction((tx) => recheckOrderLater(tx, orderId, clock.now() + ASK_AGAIN_MS));
  await syncPaymentOfAttempt(context, attemptId);
}

/**
 * Tells owners of authorizations that will lapse, and asks about those that should have: a provider
 * may have told so while nobody listened.
 */
export async function followLapses(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  const each = async (orders: readonly Order[], work: typeof tell) => {
    for (const order of orders) {
      if (stopping()) return;
      await work(context, order).catch((error: unknown) => {
        if (error instanceof TooManyError) return;
        log.warn({ attempt_id: order.attemptId, error }, "payment.not_followed");
      });
    }
  };
  await each(await expiringOrders(db, clock.now() + NOTICE_MS, ORDERS_MAX), tell);
  await each(await overdueOrders(db, clock.now(), ORDERS_MAX), ask);
}
