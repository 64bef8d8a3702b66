import type { Money, PaymentHandler } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { languageOf, wordsIn } from "../domain/buyer-words/words.js";
import { type Checkout, emailOf } from "../domain/checkouts/checkout.js";
import { checkoutById } from "../domain/checkouts/store.js";
import { type Payment, tokenPlace } from "../domain/payments/payment.js";
import { nextLook, PAGE_MS_MAX, PROVIDER_MS_MAX } from "../domain/payments/schedule.js";
import { paymentById, paymentOfDecision, scheduleRecheck } from "../domain/payments/store.js";
import { ANY_CHANGE } from "../infra/db/database.js";
import { traced } from "../infra/telemetry/telemetry.js";
import type { Attempt, PageLine, PaymentProvider, ProviderAnswer } from "../payments/provider.js";
import { PAYMENT_TOPIC, writeOutcome } from "./outcome.js";
import { reserveInShop } from "./reserve-in-shop.js";
import { writeVoidOutcome } from "./void-outcome.js";

/** The reasons of an unknown outcome when the provider did not answer at all. */
const UNANSWERED: readonly string[] = ["timed_out", "processor_failed"];

type Unknown = Extract<ProviderAnswer, { readonly outcome: "unknown" }>;

export const unknownAnswer = (reason: string): Unknown => ({ outcome: "unknown", reason });

export function isUnanswered(answer: unknown): boolean {
  const { outcome, reason } = answer as Partial<Unknown>;
  return outcome === "unknown" && UNANSWERED.includes(reason ?? "");
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

export function providerOf({ providers }: Context, payment: Payment): PaymentProvider {
  const provider = providers[payment.provider];
  if (provider === undefined) throw new Error(`no provider is called ${payment.provider}`);
  return provider;
}

export function attemptOf({
  siteKeyHash,
  accountId,
  attemptId,
  reference,
  requestedAt,
  amount,
  hosted,
}: Payment): Attempt {
  const idempotencyKey = attemptId;
  return { siteKeyHash, accountId, idempotencyKey, reference, requestedAt, amount, hosted };
}

/** Turns a failed or slow call into an unknown answer. The call may still have taken effect. */
export async function withTimeout<Answer>(
  { clock, log, metrics, telemetry }: Context,
  { attemptId, provider }: Payment,
  call: Promise<Answer>,
): Promise<Answer | Unknown> {
  let cancel = () => {};
  const late = new Promise<Unknown>((resolve) => {
    cancel = clock.after(PROVIDER_MS_MAX, () => resolve(unknownAnswer("timed_out")));
  });
  const answered = call.catch((error: unknown) => {
    log.warn({ attempt_id: attemptId, error }, "payment.processor_failed");
    return unknownAnswer("processor_failed");
  });
  try {
    const attributes = { "gatehouse.provider": provider };
    const answer = await traced(telemetry, "payment provider", attributes, () =>
      Promise.race([answered, late]),
    );
    const result = isUnanswered(answer) ? "failed" : "answered";
    metrics.counter("gatehouse_provider_calls_total")({ provider, result });
    return answer;
  } finally {
    cancel();
  }
}

/** Asks for the page on which the buyer pays. */
async function openPage(
  context: Context,
  payment: Payment,
  first: boolean,
): Promise<ProviderAnswer> {
  const provider = providerOf(context, payment);
  const { checkoutId, siteKeyHash, requestedAt, returnUrl } = payment;
  const checkout = checkoutId && (await checkoutById(context.db, siteKeyHash, checkoutId));
  if (!checkout || returnUrl === null || provider.openPage === undefined) {
    return { outcome: "declined", reason: "no_payment_page" };
  }
  return provider.openPage({
    ...attemptOf(payment),
    first,
    returnUrl,
    lines: pageLines(payment, checkout),
    email: emailOf(checkout),
    language: languageOf(checkout.content.context),
    closesAt: requestedAt + PAGE_MS_MAX,
  });
}

/**
 * Reserves the goods, then requests the authorization. Every try of an attempt has the same idempotency key. Without
 * a reservation the provider is not asked: at the first try that ends the attempt, later an earlier try may still
 * have been authorized.
 */
export async function authorize(
  context: Context,
  payment: Payment,
  { first }: { readonly first: boolean },
): Promise<ProviderAnswer> {
  const reserved = await reserveInShop(context, payment);
  if (!reserved.ok) {
    const reason = `shop_${reserved.reason}` as const;
    return first ? { outcome: "declined", reason } : { outcome: "unknown", reason, refused: true };
  }
  if (payment.hosted) return withTimeout(context, payment, openPage(context, payment, first));
  const { attemptId, sealedToken, returnUrl } = payment;
  if (sealedToken === null) throw new Error("an open attempt has no token");
  const token = context.secrets.open(tokenPlace(attemptId), sealedToken);
  const request = { token, first, returnUrl, ...attemptOf(payment) };
  return withTimeout(context, payment, providerOf(context, payment).authorize(request));
}

/** How long a mandate that is sent again waits for the payment that is under way. */
const PAYING_MS_MAX = 12_000;

/** Voids an authorization that is not needed. If the provider does not answer, the reconcile job tries again. */
export async function voidAuthorization(context: Context, payment: Payment): Promise<void> {
  if (payment.status !== "releasing") return;
  const call = providerOf(context, payment).voidAuthorization(attemptOf(payment));
  const result = await withTimeout(context, payment, call);
  if (result.outcome === "unknown") {
    const { clock, db } = context;
    const until = nextLook(payment.tries, clock.now());
    await db.transaction((tx) => scheduleRecheck(tx, payment.attemptId, until));
    return;
  }
  context.crashPoint("decide.released");
  await writeVoidOutcome(context, payment.attemptId, result);
}

/** Authorizes the payment that a decision requested, and writes the provider's answer. Returns the payment as it is then. */
export async function settlePayment(context: Context, payment: Payment): Promise<Payment> {
  context.crashPoint("decide.intended");
  const answer = await authorize(context, payment, { first: true });
  context.crashPoint("decide.asked");
  const ended = await writeOutcome(context, payment, answer);
  context.crashPoint("decide.ended");
  await voidAuthorization(context, ended);
  return ended;
}

/** Waits, up to a limit, until no process is settling the payment of a decision. */
export async function paymentEnded(context: Context, decisionId: string): Promise<void> {
  const { clock, db } = context;
  const payment = await paymentOfDecision(db, decisionId);
  if (payment?.status !== "requested") return;
  const { attemptId } = payment;
  // If too many callers wait already, this one does not: its answer asks it to send the same bytes again.
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

/** What a buyer sees on the provider's page: the items, delivery, fees and taxes. Their sum is what is paid. */
function pageLines(
  { items, amount }: Pick<Payment, "items" | "amount">,
  checkout: Checkout,
): readonly PageLine[] {
  const words = wordsIn(languageOf(checkout.content.context)).order;
  const { shippingMinor, taxMinor, discountMinor, fees = [] } = checkout.quote.totals;
  // Pages have no negative lines.
  if (discountMinor) return [{ title: words.total, quantity: 1, unitMinor: amount.minor }];
  const more = [
    { title: words.delivery, quantity: 1, unitMinor: shippingMinor ?? 0 },
    ...fees.map(({ title, amountMinor: unitMinor }) => ({ title, quantity: 1, unitMinor })),
    { title: words.tax, quantity: 1, unitMinor: taxMinor },
  ].filter(({ unitMinor }) => unitMinor > 0);
  const lines = [
    ...items.map(({ title, quantity, unit_minor: unitMinor }) => ({ title, quantity, unitMinor })),
    ...more,
  ];
  const sum = lines.reduce((total, { quantity, unitMinor }) => total + quantity * unitMinor, 0);
  if (sum !== amount.minor) throw new Error("the lines of a payment page are not its amount");
  return lines;
}
