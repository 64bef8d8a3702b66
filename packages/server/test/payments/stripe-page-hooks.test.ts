import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { stripeSelling, WEBHOOK_SECRET } from "./stripe-shop.ts";

describe.each(TIER_DATABASES)("an event about a payment page, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let stripe: StripeSimulator;
  let at: ReturnType<typeof stripeSelling>;
  let { shop, account, buyer } = {} as Awaited<ReturnType<typeof at.stripeShop>>;
  beforeAll(async () => {
    stripe = await StripeSimulator.start({ now: () => clock.now() });
    const env = { ...(await freshEnvironment(dialect)), GATEHOUSE_STRIPE_API_BASE: stripe.url };
    server = await startServer(env, { clock });
    at = stripeSelling(server, stripe);
    // What jobs do is done when a test says so.
    await server.context.jobs.stop();
    return async () => {
      await cleanUp();
      await stripe.stop();
    };
  });
  beforeEach(async () => {
    ({ shop, account, buyer } = await at.stripeShop());
    expect((await at.order(shop, buyer)).status).toBe(200);
  });

  let sent = 0;
  /** Sends an event about a session, and returns the paths that Stripe was asked for because of it. */
  async function tell(type: string, session: object): Promise<readonly string[]> {
    sent += 1;
    const object = { object: "checkout.session", payment_intent: null, ...session };
    const event = { id: `evt_${sent}`, object: "event", type, livemode: false, data: { object } };
    const before = stripe.calls.length;
    const call = stripe.hookCall(event, WEBHOOK_SECRET);
    expect((await at.hook(shop, "events", call)).status).toBe(200);
    return stripe.calls.slice(before).map(({ path }) => path);
  }
  const capture = () => {
    const [intent] = stripe.intents(account.id);
    stripe.capture(intent?.id ?? "");
    return intent;
  };
  const payment = async () => (await at.orders(shop))[0].payment;

  test("shows what became of the attempt that it names", async () => {
    const metadata = capture()?.metadata;
    await tell("checkout.session.completed", { id: "cs_test_1", metadata });
    expect(await payment()).toBe("captured");
  });

  test("finds its payment by the payment intent", async () => {
    const payment_intent = capture()?.id;
    await tell("checkout.session.completed", { id: "cs_test_1", payment_intent });
    expect(await payment()).toBe("captured");
  });

  test.each([
    "checkout.session.completed",
    "checkout.session.expired",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
  ])("%s finds its payment by the page", async (type) => {
    const id = `cs_test_${shop.site_key_hash.slice(0, 8).replaceAll(/\W/g, "")}${sent}`;
    const sql = "UPDATE payments SET reference = ? WHERE site_key_hash = ?";
    await server.context.db.run(sql, id, shop.site_key_hash);
    expect(await tell(type, { id })).toEqual([`/v1/checkout/sessions/${id}`]);
    expect(await tell("checkout.session.renamed", { id })).toEqual([]);
    expect(await tell(type, { id: "cs_test_other" })).toEqual([]);
  });
});
