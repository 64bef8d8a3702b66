import { onTestFinished } from "vitest";
import { type ProviderAccount, secretPlace } from "../../src/domain/payments/accounts/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { createSecrets } from "../../src/infra/secrets/secrets.ts";
import type { Attempt, PageRequest } from "../../src/payments/provider.ts";
import { StripeProvider } from "../../src/payments/stripe/stripe.ts";
import { NOON } from "../harness.ts";
import { StripeSimulator } from "../stripe/simulator.ts";

export const HOUR_MS = 3_600_000;
export const PAGES = "/v1/checkout/sessions";
/** What is known of an attempt while its page is open. */
export const OPEN = { outcome: "unknown", reason: "requires_action" };

const REQUEST: PageRequest = {
  siteKeyHash: "site",
  accountId: "account",
  idempotencyKey: "attempt-1",
  reference: null,
  requestedAt: NOON,
  amount: { currency: "EUR", minor: 2500 },
  hosted: true,
  first: true,
  lines: [
    { title: "Fern", quantity: 2, unitMinor: 1000 },
    { title: "Delivery", quantity: 1, unitMinor: 500 },
  ],
  returnUrl: "https://shop.example.com/orders/1?from=mail",
  email: "buyer@example.com",
  language: "de-AT",
  closesAt: NOON + HOUR_MS,
};

/** Stripe's provider with an account in a simulator, and a request for a payment page. */
export async function pageBench() {
  const clock = new ManualClock(NOON);
  const stripe = await StripeSimulator.start({ now: () => clock.now() });
  onTestFinished(() => stripe.stop());
  const account = stripe.openAccount({ restricted: true });
  const secrets = createSecrets(new Uint8Array(32));
  const known: ProviderAccount = {
    accountId: "account",
    siteKeyHash: "site",
    kind: "stripe",
    live: false,
    externalId: account.id,
    publishableKey: null,
    sharedTokens: false,
    sealedKey: secrets.seal(secretPlace("account", "key"), account.key),
    sealedWebhookSecret: null,
    sealedApprovalSecret: null,
    connectedAt: NOON,
    endedAt: null,
  };
  const accountOf = async () => known;
  const provider = new StripeProvider({ secrets, apiBase: stripe.url, accountOf, clock });

  /** Opens the page of the request, and names the attempt by it. */
  async function open(fields: Partial<PageRequest> = {}) {
    const answer = await provider.openPage({ ...REQUEST, ...fields });
    if (answer.outcome !== "unknown" || answer.challengeUrl === undefined) {
      throw new Error(`no page was opened: ${JSON.stringify(answer)}`);
    }
    const attempt: Attempt = { ...REQUEST, ...fields, reference: answer.reference ?? null };
    return { answer, attempt, url: answer.challengeUrl };
  }
  const intents = () => stripe.intents(account.id);
  const sessions = () => stripe.sessions(account.id);
  const callsOf = (path: string) => stripe.calls.filter((call) => call.path === path);
  return { clock, stripe, account, provider, request: REQUEST, open, intents, sessions, callsOf };
}
