import type { Money } from "@gatehouse/protocol";
import type Stripe from "stripe";
import type { Clock } from "../../infra/clock.js";
import { HOUR_MS } from "../../infra/time.js";
import type {
  Attempt,
  AuthorizationRequest,
  AuthorizationState,
  MoneyReturn,
  PaymentProvider,
  ProviderAnswer,
  VoidResult,
} from "../provider.js";
import { stripeAmount } from "./amounts.js";
import { answerOfFailure, answerOfIntent, stateOfIntent } from "./answers.js";
import { canConnect } from "./can-connect.js";
import { StripeClients, type StripeTools } from "./client.js";
import { returnsOf } from "./returns.js";

/** The metadata key that finds an intent whose id never arrived here. */
const ATTEMPT = "gatehouse_attempt";
/** How far Stripe's clock and ours may differ. A day costs a page or two more. */
const CLOCKS_DIFFER_S = 86_400;
const PAGE = 100;
/** Pages listed for one attempt. In a shop that sells more, the intent is searched for. */
const PAGES_MAX = 10;
/** Stripe's search index lags by a minute, during an outage by an hour. */
const SEARCH_BEHIND_MS = 2 * HOUR_MS;
/** Stripe's preview version that accepts shared payment tokens. */
const SHARED_TOKENS_VERSION = "2026-08-26.preview";

/** The expiry is optional, so an authorization does not wait long for it. */
const EXPIRY_READ_MS_MAX = 1500;

const keyOf = ({ idempotencyKey }: Pick<Attempt, "idempotencyKey">, step = "") =>
  `gatehouse-${idempotencyKey}${step}`;

/**
 * Authorizes payments with the owner's Stripe account. An agent cannot show a bank's challenge to anybody, so
 * its payments that need one are declined. Only the owner captures and refunds.
 */
export class StripeProvider implements PaymentProvider {
  readonly hasAccounts = true;
  private readonly clients: StripeClients;
  private readonly clock: Clock;
  private readonly apiBase: string | undefined;

  constructor(tools: StripeTools & { readonly clock: Clock }) {
    this.clients = new StripeClients(tools);
    this.apiBase = tools.apiBase;
    this.clock = tools.clock;
  }

  private find(client: Stripe, attempt: Attempt): Promise<Stripe.PaymentIntent | undefined> {
    return find(client, attempt, this.clock.now());
  }

  isReachable(): Promise<boolean> {
    return canConnect(this.clock, this.apiBase);
  }

  async authorize(request: AuthorizationRequest): Promise<ProviderAnswer> {
    const amount = stripeAmount(request.amount);
    if (!amount.ok) return { outcome: "declined", reason: "amount_not_expressible" };
    const { client, account } = await this.clients.of(request.accountId);
    try {
      const intent = request.token.startsWith("spt_")
        ? await payShared(client, request, amount.value, account.sharedTokens || !request.first)
        : await pay(client, request, amount.value);
      if (intent === undefined) return { outcome: "declined", reason: "shared_tokens_off" };
      return await answerTo(client, request, intent, account.live);
    } catch (error) {
      return answerOfFailure(error, request.first);
    }
  }

  async read(attempt: Attempt): Promise<ProviderAnswer | undefined> {
    const { client, account } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    return intent && answerTo(client, attempt, intent, account.live);
  }

  async voidAuthorization(attempt: Attempt): Promise<VoidResult> {
    const { client } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    if (intent === undefined || intent.status === "canceled") return { outcome: "released" };
    // Captured money cannot be voided. Only the owner refunds it.
    const state = stateOfIntent(intent, null);
    if (state?.status === "captured") return { outcome: "captured", captured: state.captured };
    const options = { idempotencyKey: keyOf(attempt, "-release") };
    await client.paymentIntents.cancel(intent.id, { cancellation_reason: "abandoned" }, options);
    return { outcome: "released" };
  }

  async readAuthorization(attempt: Attempt): Promise<AuthorizationState | undefined> {
    const { client } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    return intent && stateOfIntent(intent, await expiryOf(client, intent));
  }

  async returns(attempt: Attempt): Promise<readonly MoneyReturn[]> {
    const { client } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    return intent === undefined ? [] : returnsOf(client, intent);
  }

  amountFault(amount: Money): string | undefined {
    const result = stripeAmount(amount);
    return result.ok ? undefined : result.detail;
  }
}

/**
 * When an authorization expires, in milliseconds; null if it has ended or Stripe does not say. It is read in
 * its own call, because a key without permission to read charges must still be able to pay.
 */
async function expiryOf(
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

/** The answer that an intent shows; unknown if the intent is not for this attempt. */
async function answerTo(
  client: Stripe,
  { amount, siteKeyHash }: Attempt,
  intent: Stripe.PaymentIntent,
  live: boolean,
): Promise<ProviderAnswer> {
  const expected = stripeAmount(amount);
  const isSame =
    expected.ok &&
    expected.value === intent.amount &&
    intent.currency === amount.currency.toLowerCase() &&
    intent.metadata.gatehouse_site === siteKeyHash &&
    intent.livemode === live;
  if (!isSame) return { outcome: "unknown", reason: "not_this_payment" };
  return answerOfIntent(intent, await expiryOf(client, intent));
}

/** The parameters of every intent: authorize now, and let the owner capture later. */
function termsOf(request: AuthorizationRequest, amount: number) {
  return {
    amount,
    currency: request.amount.currency.toLowerCase(),
    capture_method: "manual",
    confirm: true,
    // Without a buyer to send to the bank, a payment that needs a challenge is declined at once.
    ...(request.returnUrl === null
      ? { error_on_requires_action: true }
      : { return_url: request.returnUrl }),
    metadata: { [ATTEMPT]: request.idempotencyKey, gatehouse_site: request.siteKeyHash },
  } as const;
}

async function pay(
  client: Stripe,
  request: AuthorizationRequest,
  amount: number,
): Promise<Stripe.PaymentIntent> {
  const method = await methodOf(client, request);
  return client.paymentIntents.create(
    { ...termsOf(request, amount), payment_method: method, allowed_payment_method_types: ["card"] },
    { idempotencyKey: keyOf(request) },
  );
}

/** Turns a card's token into a payment method, the only thing an intent accepts. */
async function methodOf(client: Stripe, request: AuthorizationRequest): Promise<string> {
  const { token } = request;
  if (!token.startsWith("tok_")) return token;
  const options = { idempotencyKey: keyOf(request, "-method") };
  const method = await client.paymentMethods.create({ type: "card", card: { token } }, options);
  return method.id;
}

/** Undefined if the owner has not enabled the preview. */
async function payShared(
  client: Stripe,
  request: AuthorizationRequest,
  amount: number,
  enabled: boolean,
): Promise<Stripe.PaymentIntent | undefined> {
  if (!enabled) return undefined;
  const params = {
    ...termsOf(request, amount),
    payment_method_data: { shared_payment_granted_token: request.token },
    // There is no buyer to redirect.
    automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  };
  const options = { idempotencyKey: keyOf(request), apiVersion: SHARED_TOKENS_VERSION };
  const intent = await client.rawRequest("POST", "/v1/payment_intents", params, options);
  return intent as unknown as Stripe.PaymentIntent;
}

/** Undefined if the intent is gone: an owner may delete test data. */
async function retrieve(client: Stripe, id: string): Promise<Stripe.PaymentIntent | undefined> {
  try {
    return await client.paymentIntents.retrieve(id);
  } catch (error) {
    if ((error as { readonly code?: string }).code === "resource_missing") return undefined;
    throw error;
  }
}

/** Throws if nothing is found and the search index may still lag. */
async function search(
  client: Stripe,
  { idempotencyKey, requestedAt }: Attempt,
  now: number,
): Promise<Stripe.PaymentIntent | undefined> {
  const query = `metadata["${ATTEMPT}"]:"${idempotencyKey}"`;
  const { data } = await client.paymentIntents.search({ query, limit: 1 });
  if (data[0] === undefined && now < requestedAt + SEARCH_BEHIND_MS) {
    throw new Error("Stripe's search may not know of this payment yet");
  }
  return data[0];
}

/**
 * Finds the intent of an attempt. Without its id, all intents created since are listed, because the search
 * index lags. If there are too many, the search decides, hours later.
 */
async function find(
  client: Stripe,
  attempt: Attempt,
  now: number,
): Promise<Stripe.PaymentIntent | undefined> {
  const { idempotencyKey, reference, requestedAt } = attempt;
  if (reference !== null) return retrieve(client, reference);
  const created = { gte: Math.floor(requestedAt / 1000) - CLOCKS_DIFFER_S };
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { data, has_more } = await client.paymentIntents.list({
      created,
      limit: PAGE,
      ...(after === undefined ? {} : { starting_after: after }),
    });
    const intent = data.find(({ metadata }) => metadata[ATTEMPT] === idempotencyKey);
    if (intent !== undefined) return intent;
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return undefined;
  }
  return search(client, attempt, now);
}
