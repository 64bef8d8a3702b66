import type { Context } from "../context.js";
import { isOpen, type Payment } from "../domain/payments/payment.js";
import {
  claimPayment,
  duePayments,
  paymentById,
  paymentOfDecision,
  scheduleRecheck,
} from "../domain/payments/store.js";
import { ANY_CHANGE } from "../infra/db/database.js";
import {
  attemptOf,
  authorize,
  processorOf,
  release,
  resolveUnknownOutcome,
} from "./ask-processor.js";
import { followAuthorization } from "./follow-authorization.js";
import { FIRST_LOOK_MS, nextLook } from "./retries.js";
import { PAYMENT_TOPIC, writeOutcome } from "./write-outcome.js";
import { writeReleased } from "./write-released.js";

/** Attempts looked after in one go of the job. */
const DUE_MAX = 200;
/** How long the same mandate, sent again, waits for the payment that is under way. */
const PAYING_MS_MAX = 12_000;

/** Gives up an authorization that nothing is to be bought with. Not done, the job does it. */
export async function voidAuthorization(context: Context, payment: Payment): Promise<void> {
  if (payment.status !== "releasing") return;
  const released = await release(context, payment);
  if (released.outcome === "unknown") {
    const { clock, db } = context;
    const until = nextLook(payment.tries, clock.now());
    await db.transaction((tx) => scheduleRecheck(tx, payment.attemptId, until));
    return;
  }
  context.crashPoint("decide.released");
  await writeReleased(context, payment.attemptId, released);
}

/** Asks the processor for what a decision has requested, and writes down what it says. */
export async function settlePayment(context: Context, payment: Payment): Promise<void> {
  context.crashPoint("decide.intended");
  const said = await authorize(context, payment, { first: true });
  context.crashPoint("decide.asked");
  const ended = await writeOutcome(context, payment.attemptId, said);
  context.crashPoint("decide.ended");
  await voidAuthorization(context, ended);
}

/** How many may wait for payments at once, in this process; whoever comes later is told to retry. */
const WAITING_MAX = 1000;
let waiting = 0;

/** Waits until the payment of a decision is no longer under way somewhere, or too long. */
export async function paymentEnded({ clock, db }: Context, decisionId: string): Promise<void> {
  const payment = await paymentOfDecision(db, decisionId);
  if (payment?.status !== "requested" || waiting >= WAITING_MAX) return;
  waiting++;
  await new Promise<void>((resolve) => {
    const end = () => {
      cancel();
      leave();
      resolve();
    };
    const leave = db.changes.subscribe(({ topic, id }) => {
      if (topic === ANY_CHANGE.topic || (topic === PAYMENT_TOPIC && id === payment.attemptId))
        end();
    });
    const cancel = clock.after(PAYING_MS_MAX, end);
    // It may have ended while nobody listened yet.
    paymentById(db, payment.attemptId).then((now) => now?.status === "requested" || end(), end);
  }).finally(() => {
    waiting--;
  });
}

/** Brings one attempt to its end, unless somebody else is at it. */
export async function reconcilePayment(context: Context, due: Payment): Promise<void> {
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
export async function lookAtRefused(context: Context, payment: Payment): Promise<void> {
  const said = await processorOf(context, payment).read(attemptOf(payment));
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
