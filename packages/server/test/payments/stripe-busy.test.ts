import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { freshEnvironment, NOON, startServer } from "../harness.ts";
import { clientOf } from "../stripe/kit.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { stripeSelling } from "./stripe-shop.ts";

const HOUR_MS = 3_600_000;
/** More than is looked through page by page. */
const OTHERS = 1001;
const ABREAST = 50;

test.each([
  ["error_500_after", "approved"],
  ["error_500", "rejected"],
] as const)(
  "a shop with too many payments to list finds its payment by search (%s: %s)",
  async (fault, outcome) => {
    const clock = new ManualClock(NOON);
    const stripe = await StripeSimulator.start({ now: () => clock.now() });
    onTestFinished(() => stripe.stop());
    const base = await freshEnvironment("sqlite");
    const env = { ...base, GATEHOUSE_STRIPE_API_BASE: stripe.url };
    const server = await startServer(env, { clock });
    const at = stripeSelling(server, stripe);
    // What jobs do is done when a test says so.
    await server.context.jobs.stop();
    const { shop, account, buyer } = await at.stripeShop();
    // Kept under the key: asking again tells nothing, so it has to be found.
    stripe.fault = ({ method, path }) =>
      method === "POST" && path === "/v1/payment_intents" ? fault : undefined;
    const body = await at.signed(shop, buyer);
    expect((await at.send(shop, body)).status).toBe(503);
    stripe.fault = () => undefined;
    const client = clientOf(stripe, account.key);
    for (let made = 0; made < OTHERS; made += ABREAST) {
      await Promise.all(
        Array.from({ length: ABREAST }, () =>
          client.paymentIntents.create({ amount: 100, currency: "eur" }),
        ),
      );
    }
    const reconcile = () => reconcilePayments(server.context, () => false);
    clock.advance(50_000);
    await reconcile();
    // The search does not know of it yet, and nobody takes that for an answer.
    expect((await at.send(shop, body)).status).toBe(503);
    clock.advance(24 * HOUR_MS);
    await reconcile();
    expect((await at.send(shop, body)).body.outcome).toBe(outcome);
    expect(stripe.calls.some(({ path }) => path.endsWith("/search"))).toBe(true);
  },
);
