import type { Money } from "@gatehouse/protocol";
import type Stripe from "stripe";
import type { Clock } from "../../infra/clock.js";
import type {
  Attempt,
  AuthorizationRequest,
  AuthorizationState,
  ChangeAnswer,
  ChangeRequest,
  MoneyReturn,
  PageRequest,
  PaymentProvider,
  ProviderAnswer,
  VoidResult,
} from "../provider.js";
import { stripeAmount } from "./amounts.js";
import { answerOfFailure, stateOfIntent } from "./answers.js";
import { canConnect } from "./can-connect.js";
import { captureIntent, dashboardUrl, refundIntent } from "./changes.js";
import { StripeClients, type StripeTools } from "./client.js";
import {
  expiryOf,
  findIntent,
  keyOf,
  metadataOf,
  providerResult,
  releaseIntent,
} from "./intents.js";
import { intentOfPage, isPage, openPage, readPage, voidPage } from "./pages.js";
import { returnsOf } from "./returns.js";

/** Stripe's preview version that accepts shared payment tokens. */
const SHARED_TOKENS_VERSION = "2026-08-26.preview";

/**
 * Authorizes payments with the owner's Stripe account. An agent cannot show a bank's challenge to anybody, so
 * its payments that need one are declined.
 */
export class StripeProvider implements PaymentProvider {
  readonly hasAccounts = true;
  private readonly clients: StripeClients;
  private readonly clock: Clock;
  private readonly apiBase: string | undefined;
  private readonly accountOf: StripeTools["accountOf"];

  constructor(tools: StripeTools & { readonly clock: Clock }) {
    this.clients = new StripeClients(tools);
    this.apiBase = tools.apiBase;
    this.accountOf = (accountId) => tools.accountOf(accountId);
    this.clock = tools.clock;
  }

  private find(client: Stripe, attempt: Attempt): Promise<Stripe.PaymentIntent | undefined> {
    const find = isPage(attempt) ? intentOfPage : findIntent;
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
      return await providerResult(client, request, intent, account.live);
    } catch (error) {
      return answerOfFailure(error, request.first);
    }
  }

  async openPage(request: PageRequest): Promise<ProviderAnswer> {
    const { client, account } = await this.clients.of(request.accountId);
    return openPage(client, request, account.live);
  }

  async read(attempt: Attempt): Promise<ProviderAnswer | undefined> {
    const { client, account } = await this.clients.of(attempt.accountId);
    const { live } = account;
    if (isPage(attempt)) return readPage(client, attempt, { live, now: this.clock.now() });
    const intent = await this.find(client, attempt);
    return intent && providerResult(client, attempt, intent, live);
  }

  async voidAuthorization(attempt: Attempt): Promise<VoidResult> {
    const { client } = await this.clients.of(attempt.accountId);
    if (isPage(attempt)) return voidPage(client, attempt, this.clock.now());
    const intent = await this.find(client, attempt);
    return intent === undefined ? { outcome: "released" } : releaseIntent(client, attempt, intent);
  }

  capture(attempt: Attempt, request: ChangeRequest): Promise<ChangeAnswer> {
    return this.change(attempt, request, captureIntent);
  }

  refund(attempt: Attempt, request: ChangeRequest): Promise<ChangeAnswer> {
    return this.change(attempt, request, refundIntent);
  }

  private async change(
    attempt: Attempt,
    request: ChangeRequest,
    ask: typeof captureIntent,
  ): Promise<ChangeAnswer> {
    const { accountId } = attempt;
    const account = accountId === null ? undefined : await this.accountOf(accountId);
    // The owner has disconnected the account, and its key was erased.
    if (request.first && !account?.sealedKey) return { outcome: "failed", reason: "no_key" };
    const { client } = await this.clients.of(accountId);
    return ask(client, await this.find(client, attempt), request);
  }

  async paymentUrl({ accountId, reference }: Attempt): Promise<string | null> {
    const account = accountId === null ? undefined : await this.accountOf(accountId);
    if (account === undefined || reference?.startsWith("pi_") !== true) return null;
    return dashboardUrl(account, reference);
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
    metadata: metadataOf(request),
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
