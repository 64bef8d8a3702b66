import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { checkExpiringOrders } from "../../src/actions/orders/check-expiring-orders.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { APPROVAL_SECRET, stripeSelling, WEBHOOK_SECRET } from "./stripe-shop.ts";

const DAY_MS = 86_400_000;
const FINALIZE = "v1.delegated_checkout.finalize_checkout";

/** Orders through Stripe's own checkout go through up to 500; above that a person would be asked. */
const APPROVAL_POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "sell", effect: "allow", when: { skill: { in: ["place_order", "complete_checkout"] } } },
    { id: "ask", effect: "escalate", when: { "cart.total": { gt: { EUR: "500.00" } } } },
    {
      id: "budget",
      effect: "deny",
      when: { spend: { scope: "site", window: "P1D", would_exceed: { EUR: "1000.00" } } },
    },
  ],
};

describe.each(TIER_DATABASES)("events and questions from Stripe, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let stripe: StripeSimulator;
  let at: ReturnType<typeof stripeSelling>;
  type Made = Awaited<ReturnType<typeof at.stripeShop>>;
  let { shop, account, buyer } = {} as Made;
  beforeAll(async () => {
    stripe = await StripeSimulator.start({ now: () => clock.now() });
    const env = {
      ...(await freshEnvironment(dialect)),
      GATEHOUSE_STRIPE_API_BASE: stripe.url,
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "1000000",
    };
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
    stripe.fault = () => undefined;
    ({ shop, account, buyer } = await at.stripeShop());
  });

  const seconds = () => Math.floor(clock.now() / 1000);
  /** Sends every event of the account so far, the newest first and each twice. */
  async function tellAll(from: Made["account"] = account) {
    const events = [...stripe.events(from.id)].reverse();
    const statuses = [];
    for (const event of [...events, ...events]) {
      const call = stripe.hookCall(event, WEBHOOK_SECRET, { timestamp: seconds() });
      statuses.push((await at.hook(shop, "events", call)).status);
    }
    return new Set(statuses);
  }
  const paidOrder = async () => {
    expect((await at.order(shop, buyer)).status).toBe(200);
    return stripe.intents(account.id).at(-1)?.id ?? "";
  };
  const payment = async () => {
    const [{ payment: state, captured_minor }] = await at.orders(shop);
    return [state, captured_minor];
  };
  const adjustments = async () =>
    (await at.records(shop, "order.adjustment")).map(
      ({ record }: { record: { adjustment: object } }) => record.adjustment,
    );

  test("a full or partial capture is recorded once, however often and in whatever order events arrive", async () => {
    stripe.capture(await paidOrder(), 6000);
    expect(await tellAll()).toEqual(new Set([200]));
    expect(await payment()).toEqual(["captured", 6000]);
    const amount = { currency: "EUR", minor: 6000 };
    expect(await adjustments()).toEqual([{ kind: "captured", amount }]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("an authorization that the owner voids is released, and one not captured in time has expired", async () => {
    stripe.cancel(await paidOrder());
    await tellAll();
    expect(await payment()).toEqual(["released", null]);
    ({ shop, account, buyer } = await at.stripeShop());
    stripe.lapse(await paidOrder());
    await tellAll();
    expect(await payment()).toEqual(["lapsed", null]);
    expect(await adjustments()).toEqual([{ kind: "lapsed" }]);
  });

  test("an event settles an attempt with an unknown outcome", async () => {
    const body = await at.signed(shop, buyer, { token: "pm_card_processing" });
    expect((await at.send(shop, body)).status).toBe(503);
    stripe.finishProcessing(stripe.intents(account.id)[0]?.id ?? "", "requires_capture");
    expect(await tellAll()).toEqual(new Set([200]));
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
  });

  test("an event is refused while Stripe cannot be asked, and accepted when it is sent again", async () => {
    stripe.capture(await paidOrder());
    stripe.fault = ({ method }) => (method === "GET" ? "drop_before" : undefined);
    expect(await tellAll()).toContain(503);
    expect(await payment()).toEqual(["authorized", null]);
    stripe.fault = () => undefined;
    expect(await tellAll()).toEqual(new Set([200]));
    expect(await payment()).toEqual(["captured", 10_000]);
  });

  test("forged, old, future-dated events and those of another mode or site are refused without asking Stripe", async () => {
    stripe.capture(await paidOrder());
    const event = stripe.events(account.id).at(-1) as object;
    const other = await at.stripeShop();
    await at.connect(other.shop, { webhook_secret: "whsec_another0123456789" });
    const now = seconds();
    const call = (timestamp = now, told = event, secret = WEBHOOK_SECRET) =>
      stripe.hookCall(told, secret, { timestamp });
    const asked = stripe.calls.length;
    const refused = [
      await at.hook(shop, "events", call(now, event, "whsec_of_a_stranger0123")),
      await at.hook(shop, "events", { ...call(), body: `${call().body} ` }),
      await at.hook(shop, "events", { ...call(), headers: { "content-type": "application/json" } }),
      await at.hook(shop, "events", call(now - 301)),
      await at.hook(shop, "events", call(now + 301)),
      await at.hook(shop, "events", call(now, { ...event, livemode: true })),
      await at.hook(shop, "events", call(now, event, APPROVAL_SECRET)),
      await at.hook(other.shop, "events", call()),
    ];
    expect(refused.map(({ status }) => status)).toEqual(Array(refused.length).fill(400));
    expect((await at.hook({ site_key_hash: "C".repeat(43) }, "events", call())).status).toBe(404);
    expect(stripe.calls).toHaveLength(asked);
    expect(await payment()).toEqual(["authorized", null]);
    const unrelated = call(now, { ...event, id: "evt_other", type: "customer.created" });
    expect((await at.hook(shop, "events", unrelated)).status).toBe(200);
    expect(stripe.calls).toHaveLength(asked);
  });

  test("the same account connected again reports on earlier orders", async () => {
    const intent = await paidOrder();
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    await at.connect(shop, { secret_key: account.key, webhook_secret: WEBHOOK_SECRET });
    stripe.capture(intent);
    await tellAll();
    expect(await payment()).toEqual(["captured", 10_000]);
  });

  test("a rotated key without permission to read its account keeps the account and its secrets", async () => {
    ({ shop, account, buyer } = await at.stripeShop({ lacks: ["account_read"] }));
    const intent = await paidOrder();
    const key = stripe.rotateKey(account, { restricted: true, lacks: ["account_read"] });
    expect((await at.connect(shop, { secret_key: key })).body.stripe.webhook_secret_set).toBe(true);
    stripe.revokeKey(account.key);
    stripe.capture(intent);
    await tellAll();
    expect(await payment()).toEqual(["captured", 10_000]);
  });

  test("the expiry of an authorization is kept even if later answers do not repeat it", async () => {
    await paidOrder();
    const [{ lapses_at }] = await at.orders(shop);
    stripe.fault = ({ path }) => (path.startsWith("/v1/charges/") ? "drop_before" : undefined);
    await tellAll();
    expect((await at.orders(shop))[0].lapses_at).toBe(lapses_at);
  });

  test("the owner is notified once 48 hours before the expiry, and a missed expiry is found", async () => {
    await shop.admin("PUT", "/notifications", { webhook_url: "https://hooks.example/x" });
    const intent = await paidOrder();
    const follow = () => checkExpiringOrders(server.context, () => false);
    const told = async () =>
      (await shop.admin("GET", "/messages")).body.items.map(
        ({ topic }: { topic: string }) => topic,
      );
    clock.advance(5 * DAY_MS - 60_000);
    await follow();
    expect(await told()).toEqual(["order.created"]);
    clock.advance(120_000);
    await follow();
    await follow();
    expect(await told()).toEqual(["order.created", "authorization.lapses"]);
    clock.advance(2 * DAY_MS);
    stripe.lapse(intent);
    await follow();
    expect(await payment()).toEqual(["lapsed", null]);
  });

  describe("an order approval", () => {
    const data = (amount_total: number, more: object = {}) => ({
      amount_total,
      currency: "eur",
      email: "buyer@example.com",
      line_items_details: [{ id: "li_1", unit_amount: amount_total, quantity: 1, name: "Rose" }],
      ...more,
    });
    const ask = (told: object, more: object = {}, secret = APPROVAL_SECRET) => {
      const call = { type: FINALIZE, id: `dc_${Math.random()}`, livemode: false, data: told };
      const sent = stripe.hookCall({ ...call, ...more }, secret, { timestamp: seconds() });
      return at.hook(shop, "order-approval", sent);
    };
    const verdict = async (told: object) => {
      const { status, body } = await ask(told);
      return [status, body.manual_approval_details.type];
    };
    beforeEach(async () => {
      const published = await shop.admin("PUT", "/policy", APPROVAL_POLICY as never);
      expect([published.status, published.body.message]).toEqual([200, undefined]);
    });

    test("is decided by the rules, is the same for the same order, and counts towards budgets", async () => {
      const order = data(40_000, { checkout_session: "cs_1" });
      expect(await verdict(order)).toEqual([200, "approved"]);
      expect(await verdict(order)).toEqual([200, "approved"]);
      expect(await at.records(shop, "order.approval")).toHaveLength(1);
      // Without a name two orders that look the same are two.
      expect(await verdict(data(40_000))).toEqual([200, "approved"]);
      expect(await verdict(data(40_000))).toEqual([200, "declined"]);
      expect(at.held(account)).toEqual([]);
      expect(await at.orders(shop)).toEqual([]);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test("is declined if a person would have to review it, or if the amount is invalid", async () => {
      expect(await verdict(data(50_001))).toEqual([200, "declined"]);
      const [{ record }] = await at.records(shop, "order.approval");
      expect([record.decision.outcome, record.approval.outcome]).toEqual(["escalated", "declined"]);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
      expect(await verdict(data(1.5))).toEqual([200, "declined"]);
      expect(await verdict(data(100, { currency: "xyz" }))).toEqual([200, "declined"]);
    });

    test("is decided again under other rules, and declined after the account is disconnected", async () => {
      const order = data(100, { checkout_session: "cs_2" });
      expect(await verdict(order)).toEqual([200, "approved"]);
      const never = { id: "never", effect: "deny", when: { skill: { eq: "complete_checkout" } } };
      const rules = [...APPROVAL_POLICY.rules, never];
      await shop.admin("PUT", "/policy", { ...APPROVAL_POLICY, rules } as never);
      expect(await verdict(order)).toEqual([200, "declined"]);
      await shop.admin("PUT", "/policy", APPROVAL_POLICY as never);
      await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
      expect(await verdict(data(200))).toEqual([200, "declined"]);
    });

    test("is refused with another secret, another mode or another type", async () => {
      expect((await ask(data(100), {}, WEBHOOK_SECRET)).status).toBe(400);
      expect((await ask(data(100), { livemode: true })).status).toBe(400);
      expect((await ask(data(100), { type: "v1.other" })).status).toBe(400);
      expect(await at.records(shop, "order.approval")).toEqual([]);
    });

    test("is declined while the clock is wrong, even if it was approved before", async () => {
      const order = data(40_000, { checkout_session: "cs_clock" });
      expect(await verdict(order)).toEqual([200, "approved"]);
      clock.advance(-DAY_MS);
      expect(await verdict(order)).toEqual([200, "declined"]);
      clock.advance(DAY_MS);
      expect(await verdict(order)).toEqual([200, "approved"]);
    });

    test("is declined in time while the database is locked, and not approved afterwards", async () => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let begun = () => {};
      const holds = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const holding = server.context.audit.commit(shop.site_key_hash, async () => {
        begun();
        await held;
        return { records: [], answer: null };
      });
      await holds;
      const asked = ask(data(100));
      await vi.waitFor(() => {
        expect(server.context.metrics.render()).toMatch(/^gatehouse_audit_commits_waiting 1$/m);
      });
      clock.advance(2500);
      expect((await asked).body.manual_approval_details.type).toBe("declined");
      release();
      await holding;
      await reconcilePayments(server.context, () => false);
      expect(await at.records(shop, "order.approval")).toEqual([]);
    });
  });
});
