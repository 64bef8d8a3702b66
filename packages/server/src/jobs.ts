import { archiveDueDays } from "./actions/audit/archive-days.js";
import { eraseExpiredBuyers } from "./actions/buyers/erase-expired.js";
import {
  DELIVER_EVERY_MS,
  deleteExpiredMessages,
  deliverMessages,
} from "./actions/notifications/deliver-messages.js";
import { checkExpiringOrders } from "./actions/orders/check-expiring-orders.js";
import { carryOutShipments, SHIPMENTS_JOB } from "./actions/orders/plan-shipment.js";
import { deleteUnusedPictures } from "./actions/pictures/uploaded-pictures.js";
import {
  FEEDS_EVERY_MS,
  FEEDS_JOB,
  fetchDueFeeds,
} from "./actions/product-feeds/fetch-due-feeds.js";
import { changePrices, PRICES_EVERY_MS } from "./actions/products/change-prices.js";
import { rewriteWords } from "./actions/products/rewrite-words.js";
import { notifyQuestions, QUESTIONS_JOB } from "./actions/questions/notify-questions.js";
import { expireReviews } from "./actions/reviews/decide-review.js";
import { carryOutVerdicts, VERDICTS_JOB } from "./actions/reviews/plan-verdict.js";
import { RECHECK_JOB_EVERY_MS, recheckSites } from "./actions/sites/recheck-sites.js";
import { alignHours } from "./actions/sites/set-shop.js";
import { endTests, TESTS_EVERY_MS, TESTS_JOB } from "./actions/test-purchases/end-tests.js";
import { deleteExpiredVisits } from "./actions/visits/delete-expired-visits.js";
import type { Context } from "./context.js";
import { deleteExpiredAccess } from "./domain/access/people/remove.js";
import { deleteExpiredFailures } from "./domain/agents/locks/store.js";
import { deleteExpiredAgents } from "./domain/agents/pending/store.js";
import { deleteExpiredCarts } from "./domain/checkouts/carts/store.js";
import { deleteExpiredCheckouts } from "./domain/checkouts/store.js";
import { deleteExpiredMinutes } from "./domain/decisions/budgets/store.js";
import { deleteExpiredAnswers } from "./domain/decisions/kept/store.js";
import { deleteExpiredDeclines } from "./domain/declines/store.js";
import { expiredDeclines } from "./domain/declines/waits.js";
import { OUTBOX_TOPIC } from "./domain/outbox/message.js";
import { TRY_LEASE_MS } from "./domain/outbox/retry-schedule.js";
import { deleteEndedSecrets } from "./domain/payments/accounts/store.js";
import { deleteExpiredEvents, EVENT_KEPT_MS } from "./domain/provider-events/store.js";
import { QUESTION_KEPT_MS, QUESTION_TOPIC } from "./domain/questions/question.js";
import { deleteExpiredQuestions } from "./domain/questions/store.js";
import { deleteExpiredRejections } from "./domain/rejections/store.js";
import { deleteExpiredCodes } from "./domain/shop-connections/codes/store.js";
import { deleteOldShopEvents, SHOP_EVENT_KEPT_MS } from "./domain/shop-events/store.js";
import { QUOTE_SHOWN_MS_MAX } from "./domain/shop-quotes/shop-quote.js";
import { deleteOldQuotes } from "./domain/shop-quotes/store.js";
import { deleteExpiredStrangerRecords } from "./domain/stranger-records/store.js";
import { WORDS_STORED_MS } from "./domain/stranger-records/stranger-words.js";
import { deleteExpiredReplies } from "./domain/ucp-replies/store.js";
import { HEARTBEAT_MS, recordHeartbeat } from "./infra/installation/clock-check.js";
import { deleteEmptyShares } from "./infra/quota/stored-bytes.js";
import { deleteExpiredRates } from "./infra/rate-limit/exact.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./infra/time.js";
import { recordRestored } from "./maintenance/record-restored.js";
import { reconcileChanges } from "./purchase/orders/change-payment.js";
import { reconcilePayments } from "./purchase/reconcile.js";

const RECONCILE_EVERY_MS = 5000;

/** Deletes old counts of limits, and old words of strangers. */
async function deleteExpiredCounts({ db }: Context, now: number): Promise<void> {
  await deleteExpiredRates(db, now);
  await db.transaction((tx) => deleteExpiredRejections(tx, now));
  const expired = { day: now - DAY_MS, wordsBefore: now - WORDS_STORED_MS };
  await db.transaction((tx) => deleteExpiredStrangerRecords(tx, expired));
}

/** Messages to owners, buyers and platforms. */
function planOutbox(context: Context): void {
  const { jobs, db } = context;
  jobs.add({
    name: "outbox.deliver",
    everyMs: DELIVER_EVERY_MS,
    leaseMs: TRY_LEASE_MS,
    run: (_now, stopping) => deliverMessages(context, stopping),
  });
  db.changes.subscribe(({ topic }) => {
    if (topic === OUTBOX_TOPIC) jobs.wake("outbox.deliver");
  });
  jobs.add({
    name: "outbox.delete",
    everyMs: HOUR_MS,
    run: (_now, stopping) => deleteExpiredMessages(context, stopping),
  });
}

/** A node wakes the job when something planned is due; this is for those whose node is gone. */
const PLANNED_EVERY_MS = 10_000;

function planReviews(context: Context): void {
  const { jobs } = context;
  jobs.add({
    name: "reviews.expire",
    everyMs: MINUTE_MS,
    run: (_now, stopping) => expireReviews(context, stopping),
  });
  jobs.add({
    name: VERDICTS_JOB,
    everyMs: PLANNED_EVERY_MS,
    leaseMs: MINUTE_MS,
    run: (_now, stopping) => carryOutVerdicts(context, stopping),
  });
}

/** Shipments that can be undone for some seconds. */
function planShipments(context: Context): void {
  context.jobs.add({
    name: SHIPMENTS_JOB,
    everyMs: PLANNED_EVERY_MS,
    leaseMs: MINUTE_MS,
    run: (_now, stopping) => carryOutShipments(context, stopping),
  });
}

/** Visits, and the hours that they are counted in. */
function planVisits(context: Context): void {
  const { jobs } = context;
  jobs.add({
    name: "visits.delete",
    everyMs: HOUR_MS,
    run: (_now, stopping) => deleteExpiredVisits(context, stopping),
  });
  jobs.add({
    name: "visits.hours",
    everyMs: HOUR_MS,
    run: (_now, stopping) => alignHours(context, stopping),
  });
}

/** Questions from agents. */
function planQuestions(context: Context): void {
  const { jobs, db } = context;
  jobs.add({
    name: QUESTIONS_JOB,
    everyMs: MINUTE_MS,
    run: (_now, stopping) => notifyQuestions(context, stopping),
  });
  db.changes.subscribe(({ topic }) => {
    if (topic === QUESTION_TOPIC) jobs.wake(QUESTIONS_JOB);
  });
  jobs.add({
    name: "questions.delete",
    everyMs: HOUR_MS,
    run: (now) => db.transaction((tx) => deleteExpiredQuestions(tx, now - QUESTION_KEPT_MS)),
  });
}

function planPayments(context: Context): void {
  const { jobs, db } = context;
  jobs.add({
    name: "payments.reconcile",
    everyMs: RECONCILE_EVERY_MS,
    leaseMs: MINUTE_MS,
    // Payments first: a capture needs one whose outcome is known.
    run: async (_now, stopping) => {
      await reconcilePayments(context, stopping);
      await reconcileChanges(context, stopping);
    },
  });
  jobs.add({
    name: "payments.expire",
    everyMs: HOUR_MS,
    run: async (now, stopping) => {
      await checkExpiringOrders(context, stopping);
      await db.transaction((tx) => deleteEndedSecrets(tx, now));
      await db.transaction((tx) => deleteExpiredEvents(tx, now - EVENT_KEPT_MS));
    },
  });
}

/** Products that are read from elsewhere, and their pictures. */
function planProducts(context: Context): void {
  const { jobs } = context;
  jobs.add({
    name: FEEDS_JOB,
    everyMs: FEEDS_EVERY_MS,
    run: (_now, stopping) => fetchDueFeeds(context, stopping),
  });
  jobs.add({
    name: "products.prices",
    everyMs: PRICES_EVERY_MS,
    run: (_now, stopping) => changePrices(context, stopping),
  });
  jobs.add({
    name: "products.words",
    everyMs: DAY_MS,
    firstAtOnce: true,
    retryMs: MINUTE_MS,
    run: (_now, stopping) => rewriteWords(context, stopping),
  });
  jobs.add({
    name: "pictures.delete",
    everyMs: HOUR_MS,
    run: (_now, stopping) => deleteUnusedPictures(context, stopping),
  });
}

/** Plans all recurring jobs of the service. */
export function planJobs(context: Context): void {
  const { jobs, db, audit } = context;
  jobs.add({ name: "heartbeat", everyMs: HEARTBEAT_MS, run: (now) => recordHeartbeat(db, now) });
  jobs.add({
    name: "access.delete",
    everyMs: HOUR_MS,
    run: (now) => db.transaction((tx) => deleteExpiredAccess(tx, now)),
  });
  jobs.add({
    name: "limits.delete",
    everyMs: HOUR_MS,
    run: (now) => deleteExpiredCounts(context, now),
  });
  jobs.add({
    name: "agents.delete",
    everyMs: HOUR_MS,
    run: async (now) => {
      await db.transaction((tx) => deleteExpiredAgents(tx, now));
      await db.transaction((tx) => deleteExpiredFailures(tx, now - HOUR_MS));
      await db.transaction((tx) => deleteExpiredMinutes(tx, now - 2 * HOUR_MS));
      await db.transaction((tx) => deleteExpiredDeclines(tx, expiredDeclines(now)));
    },
  });
  jobs.add({
    name: "answers.delete",
    everyMs: DAY_MS,
    run: (now) => db.transaction((tx) => deleteExpiredAnswers(tx, now)),
  });
  planVisits(context);
  planReviews(context);
  planShipments(context);
  planPayments(context);
  jobs.add({
    name: TESTS_JOB,
    everyMs: TESTS_EVERY_MS,
    leaseMs: MINUTE_MS,
    run: (_now, stopping) => endTests(context, stopping),
  });
  jobs.add({
    name: "carts.delete",
    everyMs: HOUR_MS,
    run: async (now) => {
      await db.transaction((tx) => deleteExpiredCarts(tx, now));
      await db.transaction((tx) => deleteExpiredCheckouts(tx, now));
      await db.transaction((tx) => deleteExpiredReplies(tx, now));
      await db.transaction((tx) => deleteOldQuotes(tx, now - QUOTE_SHOWN_MS_MAX));
      await db.transaction((tx) => deleteExpiredCodes(tx, now));
      await db.transaction((tx) => deleteOldShopEvents(tx, now - SHOP_EVENT_KEPT_MS));
      await deleteEmptyShares(db);
    },
  });
  planOutbox(context);
  planQuestions(context);
  planProducts(context);
  jobs.add({
    name: "buyers.erase",
    everyMs: HOUR_MS,
    run: (_now, stopping) => eraseExpiredBuyers(context, stopping),
  });
  jobs.add({
    name: "audit.maintain",
    everyMs: MINUTE_MS,
    run: (_now, stopping) => audit.maintainLogs(stopping),
  });
  jobs.add({
    name: "restore.record",
    everyMs: MINUTE_MS,
    run: (_now, stopping) => recordRestored(context, stopping),
  });
  jobs.add({
    name: "audit.archive",
    everyMs: HOUR_MS,
    run: (now, stopping) => archiveDueDays(context, now, stopping),
  });
  jobs.add({
    name: "sites.recheck",
    everyMs: RECHECK_JOB_EVERY_MS,
    run: (_now, stopping) => recheckSites(context, stopping),
  });
}
