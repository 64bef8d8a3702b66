import type { Context } from "../context.js";
import { checkoutById } from "../domain/checkouts/store.js";
import { isOpen, type Payment } from "../domain/payments/payment.js";
import {
  CANCEL_AFTER_MS,
  CHALLENGE_MS_MAX,
  FIRST_LOOK_MS,
  IN_FLIGHT_MS_MAX,
} from "../domain/payments/schedule.js";
import {
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
  inTime,
  isUnheard,
  providerOf,
  unknown,
  voidAuthorization,
} from "./settle.js";

/** Attempts looked after in one go of the job. */
const DUE_MAX = 200;

/** Whether the checkout a payment is for still waits for it. */
async function isWanted({ db }: Context, payment: Payment): Promise<boolean> {
  const { siteKeyHash, checkoutId, decisionId } = payment;
  if (checkoutId === null) return true;
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  return checkout?.status === "completing" && checkout.decisionId === decisionId;
}

/**
 * Finds out about an attempt whose outcome is not known: asks again with the same key, then reads.
 * After 23 hours it is to be cancelled, since providers forget the key; sooner where a buyer does
 * not confirm it.
 */
async function resolveUnknownOutcome(
  context: Context,
  payment: Payment,
): Promise<SettlementAnswer> {
  const challenged = payment.challengeUrl !== null || payment.reason === "requires_action";
  const patienceMs = challenged ? CHALLENGE_MS_MAX : CANCEL_AFTER_MS;
  const late = context.clock.now() >= payment.requestedAt + patienceMs;
  const cancelling = late || (challenged && !(await isWanted(context, payment)));
  let reference = payment.reference;
  let refused: string | undefined;
  // A repeated request could authorize a payment that the provider never received: not while paused.
  const paused = await isPaused(context.db, payment.siteKeyHash);
  // What waits for its buyer was asked for; asked again, it says what it said.
  if (!cancelling && !challenged && !paused) {
    const again = await authorize(context, payment, { first: false });
    if (again.outcome !== "unknown") return again;
    reference ??= again.reference ?? null;
    // Long enough after the first try, what is refused now and not there never was.
    const settled = context.clock.now() >= payment.requestedAt + IN_FLIGHT_MS_MAX;
    if (again.refused && settled) refused = again.reason;
  }
  const reading = providerOf(context, payment).read({ ...attemptOf(payment), reference });
  const read = await inTime(
    context,
    payment,
    reading.then(
      (found): ProviderAnswer =>
        found ??
        (refused === undefined ? unknown("not_found") : { outcome: "declined", reason: refused }),
    ),
  );
  // Who does not answer now cannot cancel now either: it is asked again.
  const answered = read.outcome === "unknown" && !isUnheard(read);
  return answered && cancelling ? { ...read, outcome: "given_up" } : read;
}

/** Asks how an authorization stands, and writes it down. Throws where the provider does not answer. */
async function followAuthorization(context: Context, payment: Payment): Promise<void> {
  const { attemptId, siteKeyHash } = payment;
  const state = await providerOf(context, payment).follow(attemptOf(payment));
  if (state === undefined) return;
  await context.audit.commit(siteKeyHash, async (tx) => {
    const now = await paymentById(tx, attemptId);
    const records = now === undefined ? [] : await moveAuthorization(context, tx, now, state);
    return { records, answer: null };
  });
}

/** Brings one attempt to its end, unless somebody else is at it. */
async function reconcilePayment(context: Context, due: Payment): Promise<void> {
  const { clock, db } = context;
  const taken = await db.transaction((tx) => claimPayment(tx, due, clock.now() + FIRST_LOOK_MS));
  const payment = taken ? await paymentById(db, due.attemptId) : undefined;
  if (payment === undefined) return;
  if (!isOpen(payment)) return voidAuthorization(context, payment);
  const said = await resolveUnknownOutcome(context, payment);
  const ended = await writeOutcome(context, payment.attemptId, said);
  await voidAuthorization(context, ended);
  // Meanwhile its owner may have taken it, or given it up: news of that came before there was an order.
  if (ended.status === "authorized") await followAuthorization(context, ended);
}

/** Of what was refused something may have come all the same: then it is let go. */
async function lookAtRefused(context: Context, payment: Payment): Promise<void> {
  const said = await providerOf(context, payment).read(attemptOf(payment));
  if (said?.outcome !== "authorized") return;
  await voidAuthorization(context, await writeOutcome(context, payment.attemptId, said));
}

/** Brings every attempt that is open, after a crash or without an answer, to its end. */
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
 * Asks the provider how a payment stands, and writes it down: an attempt whose outcome nobody knew
 * is brought to its end, an order shows what became of its authorization. Throws where the provider
 * does not answer: whoever told of it tells again.
 */
export async function followPayment(context: Context, payment: Payment): Promise<void> {
  if (isOpen(payment)) await reconcilePayment(context, payment);
  else if (payment.status === "declined") await lookAtRefused(context, payment);
  else await followAuthorization(context, payment);
}

/** The same of the payment a decision waits for, where it does. */
export async function followDecision(context: Context, decisionId: string): Promise<void> {
  const payment = await paymentOfDecision(context.db, decisionId);
  if (payment !== undefined && isOpen(payment)) await reconcilePayment(context, payment);
}

/** The same of the payment an order was made with. */
export async function followAttempt(context: Context, attemptId: string): Promise<void> {
  const payment = await paymentById(context.db, attemptId);
  if (payment !== undefined) await followPayment(context, payment);
}

/** Nobody wants it any more: it is looked after at once, and not when its turn comes. */
export async function reconcilePaymentNow(
  tx: Transaction,
  decisionId: string,
  now: number,
): Promise<void> {
  const payment = await paymentOfDecision(tx, decisionId);
  if (payment?.status === "unknown") await claimPayment(tx, payment, now);
}
