import type Stripe from "stripe";
import { DAY_S, HOUR_MS } from "../../infra/time.js";
import type { Attempt, ProviderAnswer, VoidResult } from "../provider.js";
import { stripeAmount } from "./amounts.js";
import { answerOfIntent, stateOfIntent } from "./answers.js";

/** The metadata key that finds an object whose id never arrived here. */
const ATTEMPT = "gatehouse_attempt";
/** How far Stripe's clock and ours may differ. A day costs a page or two more. */
const CLOCKS_DIFFER_S = DAY_S;
const PAGE = 100;
/** Pages listed for one attempt. In a shop that sells more, the intent is searched for. */
const PAGES_MAX = 10;
/** Stripe's search index lags by a minute, during an outage by an hour. */
const SEARCH_BEHIND_MS = 2 * HOUR_MS;

/** The expiry is optional, so an authorization does not wait long for it. */
const EXPIRY_READ_MS_MAX = 1500;

export const keyOf = ({ idempotencyKey }: Pick<Attempt, "idempotencyKey">, step = "") =>
  `gatehouse-${idempotencyKey}${step}`;

export const metadataOf = ({ idempotencyKey, siteKeyHash }: Attempt) => ({
  [ATTEMPT]: idempotencyKey,
  gatehouse_site: siteKeyHash,
});

/**
 * When an authorization expires, in milliseconds; null if it has ended or Stripe does not say. It is read in
 * its own call, because a key without permission to read charges must still be able to pay.
 */
export async function expiryOf(
  client: Stripe,
  { status, latest_charge: charge }: Stripe.PaymentIntent,
): Promise<number | null> {
  const id = typeof charge === "string" ? charge : charge?.id;
  if (status !== "requires_capture" || id === undefined) return null;
  try {
    const options = { timeout: EXPIRY_READ_MS_MAX };
    const { payment_method_details: details } = await client.charges.retrieve(id, {}, options);
    const seconds = details?.card?.capture_before;
    return typeof seconds === "number" ? seconds * 1000 : null;
  } catch {
    return null;
  }
}

export const NOT_THIS_PAYMENT: ProviderAnswer = { outcome: "unknown", reason: "not_this_payment" };

/** Whether an object of Stripe's is over the attempt's amount, of its site and of its mode. */
export function isOfAttempt(
  { amount, siteKeyHash }: Attempt,
  object: {
    readonly amount: number | null;
    readonly currency: string | null;
    readonly metadata: Stripe.Metadata | null;
    readonly livemode: boolean;
  },
  live: boolean,
): boolean {
  const expected = stripeAmount(amount);
  return (
    expected.ok &&
    expected.value === object.amount &&
    object.currency === amount.currency.toLowerCase() &&
    object.metadata?.gatehouse_site === siteKeyHash &&
    object.livemode === live
  );
}

/** The answer that an intent shows; unknown if the intent is not for this attempt. */
export async function providerResult(
  client: Stripe,
  attempt: Attempt,
  intent: Stripe.PaymentIntent,
  live: boolean,
): Promise<ProviderAnswer> {
  if (!isOfAttempt(attempt, intent, live)) return NOT_THIS_PAYMENT;
  return answerOfIntent(intent, await expiryOf(client, intent));
}

/** Undefined if the object is gone: an owner may delete test data. */
export async function orGone<T>(retrieving: Promise<T>): Promise<T | undefined> {
  try {
    return await retrieving;
  } catch (error) {
    if ((error as { readonly code?: string }).code === "resource_missing") return undefined;
    throw error;
  }
}

/** Throws if nothing is found and something may still be found later. */
export async function searchIntent(
  client: Stripe,
  { idempotencyKey, requestedAt }: Attempt,
  now: number,
  behindMs = SEARCH_BEHIND_MS,
): Promise<Stripe.PaymentIntent | undefined> {
  const query = `metadata["${ATTEMPT}"]:"${idempotencyKey}"`;
  const { data } = await client.paymentIntents.search({ query, limit: 1 });
  if (data[0] === undefined && now < requestedAt + behindMs) {
    throw new Error("Stripe's search may not know of this payment yet");
  }
  return data[0];
}

interface Listed {
  readonly id: string;
  readonly metadata: Stripe.Metadata | null;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}

export const isNamed = ({ metadata }: Listed, { idempotencyKey }: Attempt) =>
  metadata?.[ATTEMPT] === idempotencyKey;

/** Finds the object of an attempt among all that were created since. */
export async function findListed<T extends Listed>(
  attempt: Attempt,
  list: (page: {
    created: { gte: number };
    limit: number;
    starting_after?: string;
  }) => PromiseLike<Page<T>>,
): Promise<T | undefined | "too_many"> {
  const created = { gte: Math.floor(attempt.requestedAt / 1000) - CLOCKS_DIFFER_S };
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const place = after === undefined ? {} : { starting_after: after };
    const { data, has_more } = await list({ created, limit: PAGE, ...place });
    const own = data.find((one) => isNamed(one, attempt));
    if (own !== undefined) return own;
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return undefined;
  }
  return "too_many";
}

/**
 * Finds the intent of an attempt. Without its id, all intents created since are listed, because the search
 * index lags. If there are too many, the search decides, hours later.
 */
export async function findIntent(
  client: Stripe,
  attempt: Attempt,
  now: number,
): Promise<Stripe.PaymentIntent | undefined> {
  const { reference } = attempt;
  if (reference !== null) return orGone(client.paymentIntents.retrieve(reference));
  const listed = await findListed(attempt, (page) => client.paymentIntents.list(page));
  return listed === "too_many" ? searchIntent(client, attempt, now) : listed;
}

/** Cancels an intent, unless it was cancelled or captured before. */
export async function releaseIntent(
  client: Stripe,
  attempt: Attempt,
  intent: Stripe.PaymentIntent,
): Promise<VoidResult> {
  if (intent.status === "canceled") return { outcome: "released" };
  // Captured money cannot be voided. Only the owner refunds it.
  const state = stateOfIntent(intent, null);
  if (state?.status === "captured") return { outcome: "captured", captured: state.captured };
  const options = { idempotencyKey: keyOf(attempt, "-release") };
  await client.paymentIntents.cancel(intent.id, { cancellation_reason: "abandoned" }, options);
  return { outcome: "released" };
}
