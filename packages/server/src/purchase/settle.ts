import type { Money, PaymentHandler } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { type Payment, tokenPlace } from "../domain/payments/payment.js";
import { nextLook, PROVIDER_MS_MAX } from "../domain/payments/schedule.js";
import { paymentById, paymentOfDecision, scheduleRecheck } from "../domain/payments/store.js";
import { ANY_CHANGE } from "../infra/db/database.js";
import type { Attempt, PaymentProvider, ProviderAnswer, Released } from "../payments/provider.js";
import { PAYMENT_TOPIC, writeOutcome } from "./outcome.js";
import { writeReleased } from "./void-outcome.js";

/** Nothing was heard of the provider. */
const UNHEARD: readonly string[] = ["timed_out", "processor_failed"];

type Unknown = Extract<ProviderAnswer, { readonly outcome: "unknown" }>;

export const unknown = (reason: string): Unknown => ({ outcome: "unknown", reason });

/** Whether the provider did not answer at all. */
export function isUnheard(answer: unknown): boolean {
  const { outcome, reason } = answer as Partial<Unknown>;
  return outcome === "unknown" && UNHEARD.includes(reason ?? "");
}

/** Why an amount cannot be charged exactly; undefined if it can. */
export function amountFault(
  { providers }: Context,
  handler: PaymentHandler,
  amount: Money,
): string | undefined {
  const provider = providers[handler];
  return provider === undefined ? "no such processor is built in" : provider.amountFault(amount);
}

export function providerOf({ providers }: Context, { provider }: Payment): PaymentProvider {
  const found = providers[provider];
  if (found === undefined) throw new Error(`no processor is called ${provider}`);
  return found;
}

/** What names an attempt to its provider. */
export function attemptOf({
  siteKeyHash,
  accountId,
  attemptId,
  reference,
  requestedAt,
  amount,
}: Payment): Attempt {
  return { siteKeyHash, accountId, idempotencyKey: attemptId, reference, requestedAt, amount };
}

/** Whatever a provider does, there is an answer in time. What failed may have had its effect. */
export async function inTime<Answer>(
  { clock, log, metrics }: Context,
  { attemptId, provider }: Payment,
  asked: Promise<Answer>,
): Promise<Answer | Unknown> {
  let cancel = () => {};
  const late = new Promise<Unknown>((resolve) => {
    cancel = clock.after(PROVIDER_MS_MAX, () => resolve(unknown("timed_out")));
  });
  const answered = asked.catch((error: unknown) => {
    log.warn({ attempt_id: attemptId, error }, "payment.processor_failed");
    return unknown("processor_failed");
  });
  try {
    const answer = await Promise.race([answered, late]);
    const result = isUnheard(answer) ? "failed" : "answered";
    metrics.counter("gatehouse_provider_calls_total")({ provider, result });
    return answer;
  } finally {
    cancel();
  }
}

/** Asks for the authorization, with the key every try of this attempt has. */
export function authorize(
  context: Context,
  payment: Payment,
  { first }: { readonly first: boolean },
): Promise<ProviderAnswer> {
  const { attemptId, sealedToken, returnUrl } = payment;
  if (sealedToken === null) throw new Error("an open attempt has no token");
  const token = context.secrets.open(tokenPlace(attemptId), sealedToken);
  const request = { ...attemptOf(payment), token, first, returnUrl };
  return inTime(context, payment, providerOf(context, payment).authorize(request));
}

/** Gives up what may have been authorized; unknown while that is not certain. */
function release(context: Context, payment: Payment): Promise<Released | Unknown> {
  return inTime(context, payment, providerOf(context, payment).release(attemptOf(payment)));
}

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

/** Asks the provider for what a decision has requested, and writes down what it says. */
export async function settlePayment(context: Context, payment: Payment): Promise<void> {
  context.crashPoint("decide.intended");
  const said = await authorize(context, payment, { first: true });
  context.crashPoint("decide.asked");
  const ended = await writeOutcome(context, payment.attemptId, said);
  context.crashPoint("decide.ended");
  await voidAuthorization(context, ended);
}

/** Waits until the payment of a decision is no longer under way in some process, but not too long. */
export async function paymentEnded(context: Context, decisionId: string): Promise<void> {
  const { clock, db } = context;
  const payment = await paymentOfDecision(db, decisionId);
  if (payment?.status !== "requested") return;
  const { attemptId } = payment;
  // Without a place nobody waits: the caller is told to send the same bytes again.
  await context.paymentWaits.run(
    attemptId,
    () =>
      new Promise<void>((resolve) => {
        const end = () => {
          cancel();
          leave();
          resolve();
        };
        const leave = db.changes.subscribe(({ topic, id }) => {
          if (topic === ANY_CHANGE.topic || (topic === PAYMENT_TOPIC && id === attemptId)) end();
        });
        const cancel = clock.after(PAYING_MS_MAX, end);
        // It may have ended before the subscription began.
        paymentById(db, attemptId).then((now) => now?.status === "requested" || end(), end);
      }),
  );
}
