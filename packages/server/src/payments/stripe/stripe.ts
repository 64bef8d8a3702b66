import type { Money } from "@gatehouse/protocol";
import type Stripe from "stripe";
import type { Clock } from "../../infra/clock.js";
import { HOUR_MS } from "../../infra/time.js";
import type {
  Attempt,
  AuthorizationRequest,
  AuthorizationState,
  PaymentProvider,
  ProviderAnswer,
  Released,
  Returned,
} from "../provider.js";
import { stripeAmount } from "./amounts.js";
import { answerOfFailure, answerOfIntent, stateOfIntent } from "./answers.js";
import { canConnect } from "./can-connect.js";
import { StripeClients, type StripeTools } from "./client.js";
import { returnsOf } from "./returns.js";

/** What an intent is found by, where its id never reached us. */
const ATTEMPT = "gatehouse_attempt";
/** Clocks differ, now and then by hours; what is looked through besides costs a page or two. */
const CLOCKS_DIFFER_S = 86_400;
const PAGE = 100;
/** Pages looked through for one attempt; a shop that sells more is searched. */
const PAGES_MAX = 10;
/** Stripe's search is behind by a minute, or on a bad day an hour. */
const SEARCH_BEHIND_MS = 2 * HOUR_MS;
/** The revision in which tokens that agents share can be paid with: a preview. */
const SHARED_TOKENS_VERSION = "2026-08-26.preview";

/** Nobody waits longer to know when an authorization lapses than to know that there is one. */
const LAPSE_MS_MAX = 1500;

const keyOf = ({ idempotencyKey }: Pick<Attempt, "idempotencyKey">, step = "") =>
  `gatehouse-${idempotencyKey}${step}`;

/**
 * The owner's own Stripe account. It is asked to authorize, with the card's consent given before: an
 * agent has nobody to show a challenge to, so whatever needs one is declined. Capturing and refunding
 * are the owner's.
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
      const made = request.token.startsWith("spt_")
        ? await payShared(client, request, amount.value, account.sharedTokens || !request.first)
        : await pay(client, request, amount.value);
      if (made === undefined) return { outcome: "declined", reason: "shared_tokens_off" };
      return await answerTo(client, request, made, account.live);
    } catch (error) {
      return answerOfFailure(error, request.first);
    }
  }

  async read(attempt: Attempt): Promise<ProviderAnswer | undefined> {
    const { client, account } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    return intent && answerTo(client, attempt, intent, account.live);
  }

  async release(attempt: Attempt): Promise<Released> {
    const { client } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    if (intent === undefined || intent.status === "canceled") return { outcome: "released" };
    // What was taken cannot be cancelled, and giving it back is the owner's.
    const state = stateOfIntent(intent, null);
    if (state?.status === "captured") return { outcome: "captured", captured: state.captured };
    const options = { idempotencyKey: keyOf(attempt, "-release") };
    await client.paymentIntents.cancel(intent.id, { cancellation_reason: "abandoned" }, options);
    return { outcome: "released" };
  }

  async follow(attempt: Attempt): Promise<AuthorizationState | undefined> {
    const { client } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    return intent && stateOfIntent(intent, await lapseOf(client, intent));
  }

  async returns(attempt: Attempt): Promise<readonly Returned[]> {
    const { client } = await this.clients.of(attempt.accountId);
    const intent = await this.find(client, attempt);
    return intent === undefined ? [] : returnsOf(client, intent);
  }

  amountFault(amount: Money): string | undefined {
    const asked = stripeAmount(amount);
    return asked.ok ? undefined : asked.detail;
  }
}

/**
 * When an authorization lapses, in milliseconds; null where it is over, or nobody says. Asked by
 * itself: a key may not read charges, and that must keep nothing from being paid or followed.
 */
async function lapseOf(
  client: Stripe,
  { status, latest_charge: charge }: Stripe.PaymentIntent,
): Promise<number | null> {
  const id = typeof charge === "string" ? charge : charge?.id;
  if (status !== "requires_capture" || id === undefined) return null;
  try {
    const options = { timeout: LAPSE_MS_MAX };
    const { payment_method_details: details } = await client.charges.retrieve(id, {}, options);
    const seconds = details?.card?.capture_before;
    return typeof seconds === "number" ? seconds * 1000 : null;
  } catch {
    return null;
  }
}

/** What an intent says of an attempt; one that is for something else says nothing. */
async function answerTo(
  client: Stripe,
  { amount, siteKeyHash }: Attempt,
  intent: Stripe.PaymentIntent,
  live: boolean,
): Promise<ProviderAnswer> {
  const wanted = stripeAmount(amount);
  const same =
    wanted.ok &&
    wanted.value === intent.amount &&
    intent.currency === amount.currency.toLowerCase() &&
    intent.metadata.gatehouse_site === siteKeyHash &&
    intent.livemode === live;
  if (!same) return { outcome: "unknown", reason: "not_this_payment" };
  return answerOfIntent(intent, await lapseOf(client, intent));
}

/** What every intent is made with: authorized and not captured, or declined; nothing in between. */
function termsOf(request: AuthorizationRequest, amount: number) {
  return {
    amount,
    currency: request.amount.currency.toLowerCase(),
    capture_method: "manual",
    confirm: true,
    // Without a buyer to send to the bank, what needs one is declined at once.
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

/** A card's token becomes a payment method first; an intent takes nothing else. */
async function methodOf(client: Stripe, request: AuthorizationRequest): Promise<string> {
  const { token } = request;
  if (!token.startsWith("tok_")) return token;
  const options = { idempotencyKey: keyOf(request, "-method") };
  const made = await client.paymentMethods.create({ type: "card", card: { token } }, options);
  return made.id;
}

/** Undefined where the owner has not switched the preview on. */
async function payShared(
  client: Stripe,
  request: AuthorizationRequest,
  amount: number,
  on: boolean,
): Promise<Stripe.PaymentIntent | undefined> {
  if (!on) return undefined;
  const params = {
    ...termsOf(request, amount),
    payment_method_data: { shared_payment_granted_token: request.token },
    // Nobody is there to be sent elsewhere and back.
    automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  };
  const options = { idempotencyKey: keyOf(request), apiVersion: SHARED_TOKENS_VERSION };
  const made = await client.rawRequest("POST", "/v1/payment_intents", params, options);
  return made as unknown as Stripe.PaymentIntent;
}

/** Undefined where Stripe has none of this id any more: an owner may delete test data. */
async function retrieve(client: Stripe, id: string): Promise<Stripe.PaymentIntent | undefined> {
  try {
    return await client.paymentIntents.retrieve(id);
  } catch (error) {
    if ((error as { readonly code?: string }).code === "resource_missing") return undefined;
    throw error;
  }
}

/** Throws where it is too early to believe a search that finds nothing. */
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
 * The intent of an attempt. Without its id, all that were made since are looked through: a search
 * may not find what is there. Only where there are too many it is asked, and believed hours later.
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
    const found = data.find(({ metadata }) => metadata[ATTEMPT] === idempotencyKey);
    if (found !== undefined) return found;
    after = data.at(-1)?.id;
    if (!has_more || after === undefined) return undefined;
  }
  return search(client, attempt, now);
}
