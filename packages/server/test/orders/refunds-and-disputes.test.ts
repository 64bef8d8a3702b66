import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deleteEndedSecrets } from "../../src/domain/payments/accounts/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { stripeSelling, WEBHOOK_SECRET } from "../payments/stripe-shop.ts";
import type { StripeEvent } from "../stripe/adjustments.ts";
import { stripeSchemas } from "../stripe/schemas.ts";
import { openWorld, paying, type World } from "../ucp/buying.ts";

/** A sample in `npm test`; `npm run test:long` asks for the full count. */
const ORDERS_TOLD = Number(process.env.REFUND_ORDERS ?? 2);
const DAY_MS = 86_400_000;
const TOKEN = JSON.stringify({ id: "tok_visa" });
/** A rose, sent by post. */
const PAID = 10_490;

/** Every order a list can be in, of a few: events come in any of them. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const left = [...list];
  const made: T[] = [];
  for (let n = seed; left.length > 0; n = (n * 1_103_515_245 + 12_345) & 0x7fff_ffff) {
    made.push(...left.splice(n % left.length, 1));
  }
  return made;
}

describe.each(TIER_DATABASES)("money returned through Stripe, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, stripe, platform, at } = {} as World;
  let shop: Shop;
  let account: ReturnType<World["stripe"]["openAccount"]>;
  let orderId: string;
  let intent: string;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, stripe, platform, at } = world);
    await server.context.jobs.stop();
    platform.wantsNews();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    stripe.fault = () => undefined;
    shop = await at.shop();
    await shop.admin("PUT", "/notifications", { webhook_url: "https://hooks.example/x" });
    account = stripe.openAccount({ restricted: true });
    await shop.admin("PUT", "/processor", {
      kind: "stripe",
      secret_key: account.key,
      rail_on: true,
      settles: true,
      publishable_key: "pk_test_0123456789",
      webhook_secret: WEBHOOK_SECRET,
    });
    ({ orderId } = await at.bought(shop, undefined, paying(TOKEN, "gpay")));
    intent = stripe.intents(account.id)[0]?.id ?? "";
  });

  const hook = (event: object) => {
    const timestamp = Math.floor(clock.now() / 1000);
    const call = stripe.hookCall(event, WEBHOOK_SECRET, { timestamp });
    return stripeSelling(server, stripe).hook(shop, "events", call);
  };
  async function tell(events: readonly StripeEvent[]) {
    for (const event of events) expect((await hook(event)).status).toBe(200);
  }
  /** Tells everything of the account so far, each twice, in an order of chance. */
  async function tellAll(seed = 7) {
    const events = stripe.events(account.id);
    await tell(shuffled([...events, ...events], seed));
    expect(events.flatMap((event) => stripeSchemas?.ofEvent(event) ?? [])).toEqual([]);
  }
  const adjustments = async () =>
    (await shop.admin("GET", `/orders/${orderId}`)).body.adjustments.map(
      ({ kind, status, amount_minor }: Record<string, unknown>) => [kind, status, amount_minor],
    );
  /** What records say of money that went back, in their order. */
  const recorded = async () =>
    (await at.records(shop, "order.adjustment"))
      .reverse()
      .map(({ record }: { record: { adjustment: Record<string, unknown> } }) => record.adjustment)
      .filter(({ id }: { id?: string }) => id !== undefined)
      .map(({ kind, status }: Record<string, unknown>) => [kind, status]);
  const topics = async () =>
    (await shop.admin("GET", "/messages?limit=200")).body.items
      .filter(({ audience }: { audience: string }) => audience === "platform")
      .map(({ topic }: { topic: string }) => topic);
  const agree = async () => {
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    const read = (await at.readOrder(shop, orderId)).body.adjustments ?? [];
    expect(
      read.map(
        ({
          type,
          status,
          totals,
        }: {
          type: string;
          status: string;
          totals: [{ amount: number }];
        }) => [type, status, -totals[0].amount],
      ),
    ).toEqual(await adjustments());
  };

  test.each(Array.from({ length: ORDERS_TOLD }, (_, n) => n + 1))(
    "a refund in parts is recorded once per part, in whatever order events arrive (%i)",
    async (seed) => {
      stripe.capture(intent);
      const ids = [];
      for (const amount of [1000, 490, 1000]) {
        clock.advance(1000);
        ids.push(stripe.refund(intent, amount));
      }
      await tellAll(seed);
      expect(await adjustments()).toEqual([
        ["refund", "completed", 1000],
        ["refund", "completed", 490],
        ["refund", "completed", 1000],
      ]);
      expect(await recorded()).toEqual(Array(3).fill(["refund", "completed"]));
      clock.advance(1000);
      ids.push(stripe.refund(intent));
      await tellAll(seed);
      expect((await adjustments()).at(-1)).toEqual(["refund", "completed", PAID - 2490]);
      const shown = (await shop.admin("GET", `/orders/${orderId}`)).body.adjustments;
      expect(shown.map(({ adjustment_id }: { adjustment_id: string }) => adjustment_id)).toEqual([
        ...ids.map((id) => `adj_${id}`),
      ]);
      expect(await topics()).toEqual(["order.created", "order.adjusted", "order.adjusted"]);
      await agree();
    },
  );

  test("a slow refund is pending, then completed or failed", async () => {
    stripe.capture(intent);
    const first = stripe.refund(intent, 1000, "pending");
    clock.advance(1000);
    const second = stripe.refund(intent, 2000, "requires_action");
    await tellAll();
    expect(await adjustments()).toEqual([
      ["refund", "pending", 1000],
      ["refund", "pending", 2000],
    ]);
    stripe.moveRefund(account.id, first, "succeeded");
    stripe.moveRefund(account.id, second, "failed");
    await tellAll();
    expect(await adjustments()).toEqual([
      ["refund", "completed", 1000],
      ["refund", "failed", 2000],
    ]);
    expect((await recorded()).sort()).toEqual([
      ["refund", "completed"],
      ["refund", "failed"],
      ["refund", "pending"],
      ["refund", "pending"],
    ]);
    await agree();
  });

  test("a single event of any kind is enough", async () => {
    stripe.capture(intent);
    stripe.refund(intent, 700);
    const [event] = stripe.events(account.id).filter(({ type }) => type === "charge.refunded");
    await tell([event as StripeEvent]);
    expect(await adjustments()).toEqual([["refund", "completed", 700]]);
    await agree();
  });

  test("the part of an authorization that was not captured is not a refund, though Stripe has one", async () => {
    stripe.capture(intent, 9000);
    await tellAll();
    expect(await adjustments()).toEqual([]);
    clock.advance(1000);
    stripe.refund(intent, PAID - 9000);
    await tellAll();
    expect(await adjustments()).toEqual([["refund", "completed", PAID - 9000]]);
    await agree();
  });

  test("nothing is refunded if the authorization was voided before the capture", async () => {
    stripe.cancel(intent);
    await tellAll();
    expect(await adjustments()).toEqual([]);
    expect((await shop.admin("GET", `/orders/${orderId}`)).body.payment).toBe("released");
    await agree();
  });

  test.each([
    ["won", "failed"],
    ["lost", "completed"],
  ] as const)(
    "an inquiry, then a dispute, then %s leads to one adjustment that is %s",
    async (end, status) => {
      stripe.capture(intent);
      const id = stripe.dispute(intent, true);
      await tellAll();
      expect(await adjustments()).toEqual([["dispute", "pending", PAID]]);
      stripe.moveDispute(account.id, id, "needs_response");
      await tellAll();
      stripe.moveDispute(account.id, id, "under_review");
      await tellAll();
      expect(await adjustments()).toEqual([["dispute", "pending", PAID]]);
      stripe.moveDispute(account.id, id, end);
      await tellAll(3);
      expect(await adjustments()).toEqual([["dispute", status, PAID]]);
      expect(await recorded()).toEqual([
        ["dispute", "pending"],
        ["dispute", status],
      ]);
      const shown = (await at.readOrder(shop, orderId)).body.adjustments;
      expect(shown).toMatchObject([{ id: `adj_${id}`, type: "dispute", status }]);
      // The sale, the inquiry, that it is a dispute now, and how it ended.
      expect(await topics()).toHaveLength(4);
      await agree();
    },
  );

  test("a closed inquiry is an adjustment that failed", async () => {
    stripe.capture(intent);
    const id = stripe.dispute(intent, true);
    stripe.moveDispute(account.id, id, "warning_closed");
    await tellAll();
    expect(await adjustments()).toEqual([["dispute", "failed", PAID]]);
    await agree();
  });

  test("an event about an unknown order is answered, and nothing is written", async () => {
    const other = stripe.openAccount();
    await shop.admin("PUT", "/processor", {
      kind: "stripe",
      secret_key: other.key,
      rail_on: true,
      settles: true,
      publishable_key: "pk_test_0123456789",
    });
    stripe.capture(intent);
    stripe.refund(intent, 500);
    const [event] = stripe.events(account.id).filter(({ type }) => type === "refund.created");
    const strange = {
      ...event,
      id: "evt_strange",
      data: { object: { ...event?.data.object, payment_intent: "pi_strange", metadata: {} } },
    };
    const asked = stripe.calls.length;
    expect((await hook(strange)).status).toBe(200);
    expect((await hook({ ...strange, id: "evt_odd", data: { object: null } })).status).toBe(200);
    expect(stripe.calls).toHaveLength(asked);
    expect(await adjustments()).toEqual([]);
  });

  test.each([
    ["replaced by another", "PUT"],
    ["disconnected", "DELETE"],
  ])("events of an account that was %s are still accepted for half a year", async (_, method) => {
    stripe.capture(intent);
    await tellAll();
    const other = stripe.openAccount({ restricted: true });
    await shop.admin(method, "/processor", {
      kind: "stripe",
      secret_key: other.key,
      rail_on: true,
      settles: true,
      publishable_key: "pk_test_0123456789",
      webhook_secret: "whsec_others0123456789abcdef",
    });
    const { db } = server.context;
    const forget = () => db.transaction((tx) => deleteEndedSecrets(tx, clock.now()));
    clock.advance(170 * DAY_MS);
    await forget();
    stripe.dispute(intent);
    await tellAll();
    expect(await adjustments()).toEqual([["dispute", "pending", PAID]]);
    clock.advance(20 * DAY_MS);
    await forget();
    const sql =
      "SELECT sealed_key FROM processor_accounts WHERE site_key_hash = ? AND ended_at > 0";
    const rows = await db.all<{ sealed_key: string | null }>(sql, shop.site_key_hash);
    expect(rows.map(({ sealed_key }) => sealed_key)).toEqual([null]);
  });

  test("an event for a payment with an unknown outcome is asked for again", async () => {
    const made = await at.ready(shop);
    const card = paying(JSON.stringify({ id: "pm_card_processing" }), "gpay");
    expect((await at.complete(shop, made.id, card)).body.status).toBe("complete_in_progress");
    stripe.capture(intent);
    stripe.refund(intent, 500);
    const [event] = stripe.events(account.id).filter(({ type }) => type === "refund.created");
    const [open] = stripe.intents(account.id).filter(({ status }) => status === "processing");
    const object = { ...event?.data.object, payment_intent: open?.id, metadata: {} };
    const early = { ...event, id: "evt_early", data: { object } };
    expect((await hook(early)).status).toBe(503);
    stripe.finishProcessing(open?.id ?? "", "requires_capture");
    expect((await hook(early)).status).toBe(200);
  });

  test("an event is asked for again while Stripe cannot be reached, and then counts", async () => {
    stripe.capture(intent);
    stripe.refund(intent, 500);
    const [event] = stripe.events(account.id).filter(({ type }) => type === "refund.created");
    stripe.fault = ({ path }) => (path.startsWith("/v1/refunds") ? "drop_before" : undefined);
    expect((await hook(event as StripeEvent)).status).toBe(503);
    expect(await adjustments()).toEqual([]);
    stripe.fault = () => undefined;
    expect((await hook(event as StripeEvent)).status).toBe(200);
    expect(await adjustments()).toEqual([["refund", "completed", 500]]);
    await agree();
  });

  test("an outdated answer of Stripe is not used", async () => {
    stripe.capture(intent);
    const refund = stripe.refund(intent, 1000, "pending");
    const [created] = stripe.events(account.id).filter(({ type }) => type === "refund.created");
    let held = false;
    stripe.fault = ({ path }) => {
      if (held || !path.startsWith("/v1/refunds")) return undefined;
      held = true;
      return "slow";
    };
    const slow = hook(created as StripeEvent);
    await stripe.whenSlow();
    stripe.moveRefund(account.id, refund, "succeeded");
    await tell(stripe.events(account.id).filter(({ type }) => type === "refund.updated"));
    expect(await adjustments()).toEqual([["refund", "completed", 1000]]);
    stripe.releaseSlow();
    expect((await slow).status).toBe(200);
    expect(await adjustments()).toEqual([["refund", "completed", 1000]]);
    expect(await recorded()).toEqual([["refund", "completed"]]);
    await agree();
  });

  test("many events at the same moment lead to Stripe's state, with each change recorded once", async () => {
    stripe.capture(intent);
    const first = stripe.refund(intent, 1000, "pending");
    clock.advance(1000);
    stripe.dispute(intent);
    stripe.moveRefund(account.id, first, "succeeded");
    const events = stripe.events(account.id);
    const answers = await Promise.all([...events, ...events, ...events].map((one) => hook(one)));
    // Whoever came in between is told again.
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    await tellAll();
    expect(await adjustments()).toEqual([
      ["refund", "completed", 1000],
      ["dispute", "pending", PAID],
    ]);
    const seen = (await recorded()).map((one: string[]) => one.join(" "));
    expect(new Set(seen).size).toBe(seen.length);
    await agree();
  });

  test("a platform is notified under the id of the refund that changed, although a later one exists", async () => {
    stripe.capture(intent);
    clock.advance(1000);
    const first = stripe.refund(intent, 1000, "pending");
    await tellAll();
    clock.advance(1000);
    const second = stripe.refund(intent, 500);
    await tellAll();
    clock.advance(1000);
    stripe.moveRefund(account.id, first, "failed");
    await tellAll();
    const sql = `SELECT event_id FROM outbox WHERE about = ? AND audience = 'platform'
       AND topic = 'order.adjusted' ORDER BY place`;
    const rows = await server.context.db.all<{ event_id: string }>(sql, orderId);
    expect(rows.map(({ event_id }) => event_id)).toEqual(
      [first, second, first].map((id) => `adj_${id}`),
    );
  });

  test("the owner's webhook is notified of refunds and disputes", async () => {
    const kinds = async (topic: string) =>
      (await shop.admin("GET", "/messages?limit=200")).body.items
        .filter((one: Record<string, string>) => one.topic === topic && one.audience === "owner")
        .map(({ kind }: { kind: string }) => kind);
    stripe.capture(intent);
    stripe.refund(intent, 500);
    await tellAll();
    expect(await kinds("order.adjusted")).toEqual(["webhook"]);
    expect(await kinds("order.payment")).toEqual(["webhook"]);
    expect(await kinds("order.created")).toEqual(["webhook"]);
  });
});
