import type { Context } from "../context.js";
import { followAttempt } from "../decide/follow-payment.js";
import type { Order } from "../owners/orders/order.js";
import { lapsingOrders, noteLapseTold, overdueOrders } from "../owners/orders/store.js";
import { domainOfSite } from "../owners/sites/store.js";
import { AUTHORIZATION_LAPSES, lapseEvent, lapseMail } from "./lapse-notice.js";
import { tellOwner } from "./tell-owner.js";

const HOUR_MS = 3_600_000;
/** How long before an authorization lapses its owner is told. */
const NOTICE_MS = 48 * HOUR_MS;
/** Orders looked at in one go of the job. */
const ORDERS_MAX = 200;

async function tell({ db, clock, ids }: Context, order: Order): Promise<void> {
  const now = clock.now();
  const { siteKeyHash, orderId, lapsesAt } = order;
  if (lapsesAt === null) return;
  await db.transaction(async (tx) => {
    if (!(await noteLapseTold(tx, orderId, now))) return;
    const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
    const about = { domain, order, lapsesAt, now };
    await tellOwner(tx, ids, {
      ...{ siteKeyHash, topic: AUTHORIZATION_LAPSES, now },
      event: (messageId) => lapseEvent(about, messageId),
      mail: () => lapseMail(about),
    });
  });
}

/**
 * Tells owners of authorizations that will lapse, and asks about those that should have: a processor
 * may have told so while nobody listened.
 */
export async function followLapses(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  for (const order of await lapsingOrders(db, clock.now() + NOTICE_MS, ORDERS_MAX)) {
    if (stopping()) return;
    await tell(context, order);
  }
  for (const { attemptId } of await overdueOrders(db, clock.now(), ORDERS_MAX)) {
    if (stopping()) return;
    await followAttempt(context, attemptId).catch((error: unknown) => {
      log.warn({ attempt_id: attemptId, error }, "payment.not_followed");
    });
  }
}
