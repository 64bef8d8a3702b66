import type { Context } from "../context.js";
import { checkoutById } from "../domain/checkouts/store.js";
import type { Payment } from "../domain/payments/payment.js";
import { isPaused } from "../domain/sites/pause/store.js";
import type { Attempt, Processor, ProcessorAnswer, Released } from "../payments/provider.js";
import { tokenPlace } from "./request-payment.js";
import {
  CANCEL_AFTER_MS,
  CHALLENGE_MS_MAX,
  IN_FLIGHT_MS_MAX,
  PROCESSOR_MS_MAX,
} from "./retries.js";

/** Nothing was heard of the processor. */
const UNHEARD: readonly string[] = ["timed_out", "processor_failed"];

type Unknown = Extract<ProcessorAnswer, { readonly outcome: "unknown" }>;

const unknown = (reason: string): Unknown => ({ outcome: "unknown", reason });

/** Whether the provider did not answer at all. */
function isUnheard(answer: unknown): boolean {
  const { outcome, reason } = answer as Partial<Unknown>;
  return outcome === "unknown" && UNHEARD.includes(reason ?? "");
}

export function processorOf({ processors }: Context, { processor }: Payment): Processor {
  const found = processors[processor];
  if (found === undefined) throw new Error(`no processor is called ${processor}`);
  return found;
}

/** What names an attempt to its processor. */
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

/** Whatever a processor does, there is an answer in time. What failed may have had its effect. */
async function inTime<Answer>(
  { clock, log, metrics }: Context,
  { attemptId, processor: provider }: Payment,
  asked: Promise<Answer>,
): Promise<Answer | Unknown> {
  let cancel = () => {};
  const late = new Promise<Unknown>((resolve) => {
    cancel = clock.after(PROCESSOR_MS_MAX, () => resolve(unknown("timed_out")));
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
): Promise<ProcessorAnswer> {
  const { attemptId, sealedToken, returnUrl } = payment;
  if (sealedToken === null) throw new Error("an open attempt has no token");
  const token = context.secrets.open(tokenPlace(attemptId), sealedToken);
  const request = { ...attemptOf(payment), token, first, returnUrl };
  return inTime(context, payment, processorOf(context, payment).authorize(request));
}

/** Gives up what may have been authorized; unknown while that is not certain. */
export function release(context: Context, payment: Payment): Promise<Released | Unknown> {
  return inTime(context, payment, processorOf(context, payment).release(attemptOf(payment)));
}

/** Whether the checkout a payment is for still waits for it. */
async function isWanted({ db }: Context, payment: Payment): Promise<boolean> {
  const { siteKeyHash, checkoutId, decisionId } = payment;
  if (checkoutId === null) return true;
  const checkout = await checkoutById(db, siteKeyHash, checkoutId);
  return checkout?.status === "completing" && checkout.decisionId === decisionId;
}

/** What is known of an attempt; after 23 hours of nothing, that it is given up. */
export type Found = ProcessorAnswer | { readonly outcome: "given_up"; readonly reference?: string };

/**
 * Finds out about an attempt whose outcome is not known: asks again with the same key, then reads.
 * After 23 hours it is to be cancelled, since processors forget the key; sooner where a buyer does
 * not confirm it.
 */
export async function resolveUnknownOutcome(context: Context, payment: Payment): Promise<Found> {
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
  const reading = processorOf(context, payment).read({ ...attemptOf(payment), reference });
  const read = await inTime(
    context,
    payment,
    reading.then(
      (found): ProcessorAnswer =>
        found ??
        (refused === undefined ? unknown("not_found") : { outcome: "declined", reason: refused }),
    ),
  );
  // Who does not answer now cannot cancel now either: it is asked again.
  const answered = read.outcome === "unknown" && !isUnheard(read);
  return answered && cancelling ? { ...read, outcome: "given_up" } : read;
}
