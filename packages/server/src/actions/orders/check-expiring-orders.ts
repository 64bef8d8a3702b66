import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Order, orderLabel } from "../../domain/orders/order.js";
import {
  expiringOrders,
  noteExpiryNotified,
  orderById,
  overdueOrders,
  recheckOrderLater,
} from "../../domain/orders/store.js";
import { domainOfSite } from "../../domain/sites/store.js";
import { isoTime } from "../../infra/clock.js";
import { HOUR_MS } from "../../infra/time.js";
import type { NoticeWords } from "../../purchase/notices/chat-message.js";
import {
  factLines,
  localTime,
  moneyWords,
  orderPage,
} from "../../purchase/notices/notice-words.js";
import { noticeZone, notifyOwner } from "../../purchase/notices/notify-owner.js";
import { syncPaymentOfAttempt } from "../../purchase/reconcile.js";

const AUTHORIZATION_EXPIRES = "authorization.lapses";

/** An order whose authorization expires soon. */
interface ExpiringOrder {
  readonly domain: string;
  readonly order: Order;
  readonly expiresAt: number;
  readonly now: number;
}

function expiryEvent({ domain, order, expiresAt, now }: ExpiringOrder, messageId: string) {
  const { siteKeyHash, orderId, attemptId, amount } = order;
  return {
    type: AUTHORIZATION_EXPIRES,
    message_id: messageId,
    occurred_at: isoTime(now),
    site_key_hash: siteKeyHash,
    domain,
    order: {
      order_id: orderId,
      number: order.number,
      attempt_id: attemptId,
      amount: { minor: amount.minor, currency: amount.currency },
      lapses_at: isoTime(expiresAt),
    },
  } satisfies JsonObject;
}

export function expiryMail(
  { domain, order, expiresAt }: Omit<ExpiringOrder, "now">,
  { baseUrl, timeZone }: { readonly baseUrl: string; readonly timeZone: string },
): NoticeWords {
  const label = orderLabel(order);
  const sum = moneyWords(order.amount);
  const link = orderPage(baseUrl, domain, order.orderId);
  const lines = [
    `The payment of order ${label} at ${domain} is authorized, but not captured yet.`,
    "",
    ...factLines([
      ["Order", label],
      ["Amount", sum],
      ["Expires", localTime(expiresAt, timeZone)],
    ]),
    "",
    "Capture the payment before it expires, or void it at your payment provider. Gatehouse never captures payments by itself. The order is here:",
    "",
    link,
  ];
  return {
    subject: `${domain}: the authorization of order ${label} (${sum}) expires soon`,
    text: `${lines.join("\n")}\n`,
    amount: sum,
    link,
  };
}

/** How long before the expiry of an authorization its owner is notified. */
const NOTICE_MS = 48 * HOUR_MS;
const RECHECK_MS = 6 * HOUR_MS;
/** Orders of each kind that one run of the job checks. */
const ORDERS_MAX = 200;

class TooManyError extends Error {}

/** Notifies the owner, unless the authorization has ended: its webhook may have been lost. */
async function notifyOfExpiry(
  context: Context,
  { attemptId, orderId, siteKeyHash }: Order,
): Promise<void> {
  const { config, db, clock, ids, log } = context;
  await syncPaymentOfAttempt(context, attemptId).catch((error: unknown) => {
    log.warn({ attempt_id: attemptId, error }, "payment.not_followed");
  });
  const now = clock.now();
  await db.transaction(async (tx) => {
    const order = await orderById(tx, siteKeyHash, orderId);
    if (order?.payment !== "authorized" || order.expiresAt === null) return;
    if (!(await noteExpiryNotified(tx, orderId, now))) return;
    const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
    const notice = { domain, order, expiresAt: order.expiresAt, now };
    const place = { baseUrl: config.baseUrl, timeZone: await noticeZone(tx, siteKeyHash) };
    const result = await notifyOwner(tx, ids, {
      siteKeyHash,
      topic: AUTHORIZATION_EXPIRES,
      now,
      event: (messageId) => expiryEvent(notice, messageId),
      mail: () => expiryMail(notice, place),
    });
    // Rolls back the note, so that the next run notifies the owner.
    if (result === "too_many") throw new TooManyError();
  });
}

/** Syncs an order whose authorization should have expired. Other orders come first the next time. */
async function recheckOverdue(context: Context, { attemptId, orderId }: Order): Promise<void> {
  const { clock, db } = context;
  await db.transaction((tx) => recheckOrderLater(tx, orderId, clock.now() + RECHECK_MS));
  await syncPaymentOfAttempt(context, attemptId);
}

/**
 * Notifies owners of authorizations that expire soon, and syncs those that should have expired, because the
 * webhook of the provider may have been lost.
 */
export async function checkExpiringOrders(
  context: Context,
  stopping: () => boolean,
): Promise<void> {
  const { clock, db, log } = context;
  const each = async (orders: readonly Order[], work: typeof notifyOfExpiry) => {
    for (const order of orders) {
      if (stopping()) return;
      await work(context, order).catch((error: unknown) => {
        if (error instanceof TooManyError) return;
        log.warn({ attempt_id: order.attemptId, error }, "payment.not_followed");
      });
    }
  };
  await each(await expiringOrders(db, clock.now() + NOTICE_MS, ORDERS_MAX), notifyOfExpiry);
  await each(await overdueOrders(db, clock.now(), ORDERS_MAX), recheckOverdue);
}
