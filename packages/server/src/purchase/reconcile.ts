import type { Context } from "../context.js";
import { checkoutById } from "../domain/checkouts/store.js";
import { isOpen, type Payment } from "../domain/payments/payment.js";
import {
  CANCEL_AFTER_MS,
  CHALLENGE_MS_MAX,
  FIRST_LOOK_MS,
  IN_FLIGHT_MS_MAX,
  PAGE_MS_MAX,
} from "../domain/payments/schedule.js";
import {
  claimPages,
  claimPayment,
  duePayments,
  paymentById,
  paymentOfDecision,
} from "../domain/payments/store.js";
import { isPaused } from "../domain/sites/pause/store.js";
import type { Transaction } from "../infra/db/database.js";
import type { ProviderAnswer, SettlementAnswer } from "../payments/provider.js";
import { moveAuthorization } from "./orders/move-authorization.js";
import { writeOutcome } from "./outcome.js";
import {
  attemptOf,
  authorize,
  isUnanswered,
  providerOf,
  unknownAnswer,
  voidAuthorization,
  withTimeout,
} from "./settle.js";

/** Attempts that one run of the job reconciles. */
const DUE_MAX = 200;

/** Whether the checkout of a payment still waits for it. */
async function isStillWanted({ db }: Context, payment: Payment): Promise<boolean> {
  const { siteKeyHash, checkoutId, decisionId } = payment;
  if (checkoutId === null) return true;
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  return checkout?.status === "completing" && checkout.decisionId === decisionId;
}

function patienceMs({ hosted }: Payment, challenged: boolean): number {
  if (hosted) return PAGE_MS_MAX;
  return challenged ? CHALLENGE_MS_MAX : CANCEL_AFTER_MS;
}

/**
 * Resolves an attempt whose outcome is unknown: repeats the request with the same key, then reads the payment.
 * After 23 hours the attempt times out, because providers forget the key. It times out sooner if a buyer
 * does not confirm it.
 */
async function resolveUnknownOutcome(
  context: Context,
  payment: Payment,
): Promise<SettlementAnswer> {
  const challenged = payment.challengeUrl !== null || payment.reason === "requires_action";
  const waitsForBuyer = challenged || payment.hosted;
  // A repeated request could authorize a payment that the provider never received: not while paused.
  const paused = await isPaused(context.db, payment.siteKeyHash);
  const late = context.clock.now() >= payment.requestedAt + patienceMs(payment, challenged);
  // Nobody may pay on an open page while sales are paused.
  const stopped = late || (paused && payment.hosted);
  const cancelling = stopped || (waitsForBuyer && !(await isStillWanted(context, payment)));
  let reference = payment.reference;
  let refused: string | undefined;
  // A payment that waits for its buyer would get the same answer.
  if (!cancelling && !challenged && !paused) {
    const retry = await authorize(context, payment, { first: false });
    if (retry.outcome !== "unknown") return retry;
    reference ??= retry.reference ?? null;
    // If no earlier call is in flight any more, a refused payment that cannot be read never existed.
    const settled = context.clock.now() >= payment.requestedAt + IN_FLIGHT_MS_MAX;
    if (retry.refused && settled) refused = retry.reason;
  }
  const reading = providerOf(context, payment).read({ ...attemptOf(payment), reference });
  const read = await withTimeout(
    context,
    payment,
    reading.then(
      (answer): ProviderAnswer =>
        answer ??
        (refused === undefined
          ? unknownAnswer("not_found")
          : { outcome: "declined", reason: refused }),
    ),
  );
  // A provider that does not answer cannot void the payment now either, so it is asked again later.
  const answered = read.outcome === "unknown" && !isUnanswered(read);
  return answered && cancelling ? { ...read, outcome: "timed_out" } : read;
}

/** Reads the state of an authorization and writes it. Throws if the provider does not answer. */
async function syncAuthorization(context: Context, payment: Payment): Promise<void> {
  const { attemptId, siteKeyHash } = payment;
  const state = await providerOf(context, payment).readAuthorization(attemptOf(payment));
  if (state === undefined) return;
  await context.audit.commit(siteKeyHash, async (tx) => {
    const current = await paymentById(tx, attemptId);
    const records =
      current === undefined ? [] : await moveAuthorization(context, tx, current, state);
    return { records, answer: null };
  });
}

/** Settles one attempt, unless another process does. */
async function reconcilePayment(context: Context, due: Payment): Promise<void> {
  const { clock, db } = context;
  const claimed = await db.transaction((tx) => claimPayment(tx, due, clock.now() + FIRST_LOOK_MS));
  const payment = claimed ? await paymentById(db, due.attemptId) : undefined;
  if (payment === undefined) return;
  if (!isOpen(payment)) return voidAuthorization(context, payment);
  const settlement = await resolveUnknownOutcome(context, payment);
  const ended = await writeOutcome(context, payment, settlement);
  await voidAuthorization(context, ended);
  // The owner may have captured or voided it already, and that event came before there was an order.
  if (ended.status === "authorized") await syncAuthorization(context, ended);
}

/** Voids an authorization that exists although the attempt was declined. */
async function voidLateAuthorization(context: Context, payment: Payment): Promise<void> {
  const answer = await providerOf(context, payment).read(attemptOf(payment));
  if (answer?.outcome !== "authorized") return;
  await voidAuthorization(context, await writeOutcome(context, payment, answer));
}

/** Settles every attempt that a crash or an unknown outcome left open. */
export async function reconcilePayments(context: Context, stopping: () => boolean): Promise<void> {
  const { clock, db, log } = context;
  for (const due of await duePayments(db, clock.now(), DUE_MAX)) {
    if (stopping()) return;
    await reconcilePayment(context, due).catch((error: unknown) => {
      log.error({ attempt_id: due.attemptId, error }, "payment.not_reconciled");
    });
  }
}

/**
 * Reads the state of a payment at its provider and writes it: an open attempt is settled, an order shows its
 * authorization. Throws if the provider does not answer, so that its webhook is sent again.
 */
export async function syncPayment(context: Context, payment: Payment): Promise<void> {
  if (isOpen(payment)) await reconcilePayment(context, payment);
  else if (payment.status === "declined") await voidLateAuthorization(context, payment);
  else await syncAuthorization(context, payment);
}

/** Does the same for the open payment of a decision. */
export async function syncPaymentOfDecision(context: Context, decisionId: string): Promise<void> {
  const payment = await paymentOfDecision(context.db, decisionId);
  if (payment !== undefined && isOpen(payment)) await reconcilePayment(context, payment);
}

/** Does the same for the payment of an order. */
export async function syncPaymentOfAttempt(context: Context, attemptId: string): Promise<void> {
  const payment = await paymentById(context.db, attemptId);
  if (payment !== undefined) await syncPayment(context, payment);
}

/** Makes every payment due whose buyer is on the provider's page, because sales were paused. */
export function closePagesNow(tx: Transaction, siteKeyHash: string, now: number): Promise<void> {
  return claimPages(tx, siteKeyHash, { since: now - PAGE_MS_MAX, now });
}

/** Makes the payment of a decision due at once, because nobody wants it any more. */
export async function reconcilePaymentNow(
  tx: Transaction,
  decisionId: string,
  now: number,
): Promise<void> {
  const payment = await paymentOfDecision(tx, decisionId);
  if (payment?.status === "unknown") await claimPayment(tx, payment, now);
}
