import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import {
  cleanUp,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { type Cart, cart, PRODUCTS, selling } from "./selling.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe.each(DATABASES)("buying by mandate, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    server = await startServer(
      { ...env, GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000" },
      { clock },
    );
    at = selling(server);
    // What jobs do is done when a test says so.
    await server.context.jobs.stop();
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(HOUR_MS);
    shop = await at.shop();
    buyer = await at.buyer(shop);
  });

  const outcomes = async () => {
    const records = await at.records(shop, "payment.outcome");
    return records.map(({ record }: { record: { payment: string } }) => record.payment);
  };

  test("an approved order is authorized once, for exactly what was signed", async () => {
    const answer = await at.order(shop, buyer, {
      items: [
        { id: "rose", quantity: 2 },
        { id: "vase", quantity: 3 },
      ],
      total: "237.50",
    });
    expect(answer.status).toBe(200);
    const [decision] = await at.records(shop);
    expect(answer.body).toEqual({
      outcome: "approved",
      mandate_id: decision.record.mandate.mandate_id,
      record_id: decision.record.record_id,
      evaluated_at: new Date(clock.now()).toISOString(),
      rules_evaluated: 3,
      order_id: (await at.orders(shop))[0].order_id,
      order_url: expect.stringMatching(/\/pages\/page_[\w-]{24}$/),
    });
    expect(decision.record).toMatchObject({
      payment: "requested",
      amount: { currency: "EUR", minor: 23750 },
      decision: { outcome: "approved" },
      items: [
        { id: "rose", quantity: 2, unit_minor: 10000 },
        { id: "vase", quantity: 3, unit_minor: 1250 },
      ],
    });
    const [order] = await at.orders(shop);
    expect(order).toMatchObject({
      agent_id: buyer.agentId,
      skill: "place_order",
      protocol: "a2a",
      payment: "authorized",
      amount: { minor: 23750, currency: "EUR" },
    });
    const [outcome] = await at.records(shop, "payment.outcome");
    expect(outcome.record).toMatchObject({
      payment: "authorized",
      parent_record_id: decision.record.record_id,
      order_id: order.order_id,
      decision: { outcome: "approved", reason_codes: [] },
    });
    const books = await at.authorizations(shop);
    expect(books).toMatchObject([{ idempotency_key: order.attempt_id, amount_minor: 23750 }]);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 48, reserved: 0 });
  });

  const refused: [string, Cart, number, string][] = [
    ["1.00 for what costs 100.00", { total: "1.00" }, 400, "cart_mismatch"],
    ["another currency", { currency: "USD" }, 400, "cart_mismatch"],
    ["an unknown product", { items: [{ id: "x", quantity: 1 }] }, 400, "cart_invalid"],
    [
      "a product that is out of stock",
      { items: [{ id: "gone", quantity: 1 }] },
      400,
      "cart_invalid",
    ],
    ["a quantity of zero", { items: [{ id: "rose", quantity: 0 }] }, 400, "cart_invalid"],
    ["a fractional quantity", { items: [{ id: "rose", quantity: 0.5 }] }, 400, "cart_invalid"],
    [
      "a repeated product",
      { items: Array(2).fill({ id: "rose", quantity: 1 }) },
      400,
      "cart_invalid",
    ],
    ["an order without items", { items: [] }, 400, "cart_invalid"],
    ["a total that is not an amount", { total: "1e2" }, 400, "cart_invalid"],
    [
      "two currencies at once",
      { items: ["rose", "bonsai"].map((id) => ({ id, quantity: 1 })) },
      400,
      "cart_invalid",
    ],
    [
      "more than is in stock",
      { items: [{ id: "last", quantity: 2 }], total: "40.00" },
      403,
      "out_of_stock",
    ],
    [
      "more than the rules allow",
      { items: [{ id: "rose", quantity: 11 }], total: "1100.00" },
      403,
      "policy_denied",
    ],
    ["a card that is declined", { token: "pm_card_chargeDeclined" }, 403, "payment_declined"],
    [
      "a card without funds",
      { token: "tok_chargeDeclinedInsufficientFunds" },
      403,
      "payment_declined",
    ],
    [
      "a card that needs authentication",
      { token: "pm_card_authenticationRequired" },
      403,
      "payment_declined",
    ],
    ["an invalid token", { token: "pm_card_vsia" }, 403, "payment_declined"],
  ];
  test.each(refused)(
    "%s is refused, and nothing is authorized",
    async (_what, fields, status, reason) => {
      const body = await at.signed(shop, buyer, fields);
      const answer = await at.send(shop, body);
      expect([answer.status, answer.body.outcome, answer.body.reason]).toEqual([
        status,
        "rejected",
        reason,
      ]);
      expect(await at.authorizations(shop)).toEqual([]);
      expect(await at.orders(shop)).toEqual([]);
      const [decision] = await at.records(shop);
      const last = (await at.records(shop, "payment.outcome"))[0] ?? decision;
      expect(last.record.decision.reason_codes).toContain(reason);
      // The same bytes get the same answer, and change nothing.
      expect((await at.send(shop, body)).body).toEqual(answer.body);
      for (const id of ["rose", "last"]) {
        const { quantity } = PRODUCTS.find((product) => product.id === id) as { quantity: number };
        expect(await at.product(shop, id)).toMatchObject({ reserved: 0, quantity });
      }
    },
  );

  test("a mandate that buys without its cart or its payment is refused by its schema", async () => {
    const { payment, ...unpaid } = cart();
    for (const fields of [unpaid, { ...cart(), protocol_context: { protocol: "a2a" } }]) {
      const answer = await at.submit(shop, buyer, fields as never);
      expect([answer.status, answer.body.reason]).toEqual([400, "schema_invalid"]);
    }
    expect(payment).toBeDefined();
    const other = await at.submit(shop, buyer, {
      ...cart(),
      payment: { handler: "stripe", token: "pm_card_visa" },
    });
    expect([other.status, other.body.reason]).toEqual([400, "cart_invalid"]);
  });

  test("a declined payment returns its budget", async () => {
    const spend = { scope: "agent", window: "P1D", would_exceed: { EUR: "150.00" } };
    const rules = [
      { id: "all", effect: "allow", when: { skill: { exists: true } } },
      { id: "day", effect: "deny", when: { all: [{ skill: { eq: "place_order" } }, { spend }] } },
    ];
    shop = await at.shop({ policy: "rules/1", timezone: "UTC", default: "deny", rules } as never);
    buyer = await at.buyer(shop);
    const bad = await at.order(shop, buyer, { token: "pm_card_chargeDeclined" });
    expect(bad.body.reason).toBe("payment_declined");
    expect((await at.order(shop, buyer)).status).toBe(200);
    const over = await at.order(shop, buyer);
    expect([over.status, over.body.reason, over.body.evaluated_rule_id]).toEqual([
      403,
      "budget_exceeded",
      "day",
    ]);
  });

  test("the skill is not live while a gate is closed", async () => {
    const place = () => at.order(shop, buyer);
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: false, settles: true });
    expect((await place()).body.reason).toBe("skill_not_live");
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: false });
    expect((await place()).body.reason).toBe("skill_not_live");
    await shop.admin("DELETE", "/processor");
    expect((await place()).body.reason).toBe("skill_not_live");
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    expect((await place()).status).toBe(200);
  });

  test("an unknown outcome answers 503, is not requested again, and is resolved later", async () => {
    const body = await at.signed(shop, buyer, { token: "pm_sandbox_timeout" });
    const first = await at.send(shop, body);
    expect([first.status, first.body.outcome]).toEqual([503, "unavailable"]);
    expect(first.headers.get("retry-after")).not.toBeNull();
    const again = await at.send(shop, body);
    expect([again.status, again.body]).toEqual([503, first.body]);
    expect(await outcomes()).toEqual(["unknown"]);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 50, reserved: 1 });
    clock.advance(MINUTE_MS);
    await reconcilePayments(server.context, () => false);
    const found = await at.send(shop, body);
    expect([found.status, found.body.outcome]).toEqual([200, "approved"]);
    expect(await outcomes()).toEqual(["authorized", "unknown"]);
    expect(await at.orders(shop)).toHaveLength(1);
    expect(await at.authorizations(shop)).toHaveLength(1);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 49, reserved: 0 });
  });

  test("an authorization whose last item was sold in the meantime is voided", async () => {
    const body = await at.signed(shop, buyer, {
      items: [{ id: "last", quantity: 1 }],
      total: "20.00",
      token: "pm_sandbox_timeout",
    });
    expect((await at.send(shop, body)).status).toBe(503);
    const late = await at.order(shop, buyer, {
      items: [{ id: "last", quantity: 1 }],
      total: "20.00",
    });
    expect([late.status, late.body.reason]).toEqual([403, "out_of_stock"]);
    const sold = PRODUCTS.map((one) => (one.id === "last" ? { ...one, quantity: 0 } : one));
    await shop.admin("PUT", "/products", { products: sold });
    clock.advance(MINUTE_MS);
    await reconcilePayments(server.context, () => false);
    const lost = await at.send(shop, body);
    expect([lost.status, lost.body.reason]).toEqual([403, "out_of_stock"]);
    expect(await at.orders(shop)).toEqual([]);
    expect(await at.authorizations(shop)).toEqual([]);
    expect(await at.authorizations(shop, "released")).toHaveLength(1);
    const [done, asked] = await at.records(shop, "payment.outcome");
    expect([asked.record.release, done.record.release]).toEqual(["requested", "done"]);
  });

  describe("a purchase that a person has to approve", () => {
    const palm = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
    const asking = async (fields: Cart = palm) => {
      const body = await at.signed(shop, buyer, fields);
      const first = await at.send(shop, body);
      expect([first.status, first.body.outcome]).toEqual([202, "escalated"]);
      const decide = (verb: string, said = {}) =>
        shop.admin("POST", `/escalations/${first.body.escalation_id}/${verb}`, said);
      return { first, decide, again: () => at.send(shop, body) };
    };
    const tokens = () =>
      server.context.db.all<{ sealed_token: string | null }>(
        "SELECT sealed_token FROM reviews WHERE site_key_hash = ?",
        shop.site_key_hash,
      );

    test("reserves nothing, keeps its token sealed, and is paid once it is approved", async () => {
      const { decide, again, first } = await asking();
      const shown = async () =>
        (await shop.admin("GET", `/escalations/${first.body.escalation_id}`)).body;
      expect(await shown()).toMatchObject({ order_id: null, order_number: null });
      expect(await at.authorizations(shop)).toEqual([]);
      expect(await at.product(shop, "palm")).toMatchObject({ quantity: 5, reserved: 0 });
      const [kept] = await tokens();
      expect(kept?.sealed_token).toMatch(/^v1\./);
      expect(kept?.sealed_token).not.toContain("pm_card_visa");
      clock.advance(HOUR_MS);
      expect((await decide("approve")).body).toEqual({ status: "approved" });
      expect(await tokens()).toEqual([{ sealed_token: null }]);
      const [review] = await at.records(shop, "review.decision");
      const approved = await again();
      expect([approved.status, approved.body.record_id]).toEqual([200, review.record.record_id]);
      expect(review.record).toMatchObject({
        payment: "requested",
        review: { outcome: "approved" },
      });
      const [outcome] = await at.records(shop, "payment.outcome");
      expect(outcome.record.parent_record_id).toBe(review.record.record_id);
      const [order, ...others] = await at.orders(shop);
      expect(others).toEqual([]);
      // The review leads to its order.
      const { order_id, number: order_number } = order;
      expect(await shown()).toMatchObject({ order_id, order_number });
      expect(await at.authorizations(shop)).toHaveLength(1);
    });

    test("ends as payment_failed if the card is declined", async () => {
      const { decide, again, first } = await asking({ ...palm, token: "pm_card_chargeDeclined" });
      expect((await decide("approve")).body).toEqual({ status: "payment_failed" });
      const answer = await again();
      expect([answer.status, answer.body.reason]).toEqual([403, "payment_declined"]);
      const state = await (await fetch(first.body.status_url)).json();
      expect(state).toMatchObject({ status: "payment_failed", reason_code: "payment_declined" });
    });

    test("is reported to a waiting agent once it is paid, not while it is being paid", async () => {
      const { decide, first } = await asking({ ...palm, token: "pm_sandbox_timeout" });
      expect((await decide("approve")).body).toEqual({ status: "paying" });
      const held = fetch(first.body.status_url, { headers: { prefer: "wait=20" } });
      const reconciled = new Promise<void>((resolve, reject) => {
        clock.after(5000, () =>
          reconcilePayments(server.context, () => false).then(resolve, reject),
        );
      });
      await server.context.db.transaction((tx) =>
        tx.run("UPDATE payments SET next_at = ? WHERE status = 'unknown'", clock.now()),
      );
      const timer = setInterval(() => clock.advance(500), 5);
      try {
        expect(await (await held).json()).toMatchObject({ status: "approved" });
        await reconciled;
      } finally {
        clearInterval(timer);
      }
    });

    test("is paying and answers 202 while the outcome is unknown", async () => {
      const { decide, again, first } = await asking({ ...palm, token: "pm_sandbox_timeout" });
      expect((await decide("approve")).body).toEqual({ status: "paying" });
      const waiting = await again();
      expect([waiting.status, waiting.body]).toEqual([202, first.body]);
      expect((await decide("deny", { reason_code: "other" })).status).toBe(409);
      clock.advance(MINUTE_MS);
      await reconcilePayments(server.context, () => false);
      expect((await again()).status).toBe(200);
    });

    test("is invalidated if its price changes", async () => {
      const dearer = await asking();
      const dear = PRODUCTS.map((one) => (one.id === "palm" ? { ...one, price: "601.00" } : one));
      await shop.admin("PUT", "/products", { products: dear });
      expect((await dearer.decide("approve")).body).toEqual({ status: "invalidated" });
      expect((await dearer.again()).body).toMatchObject({
        reason: "review_invalidated",
        reason_code: "cart_mismatch",
      });
      expect(await at.authorizations(shop)).toEqual([]);
    });

    test("counts towards the budget of the hour of its approval, not of its request", async () => {
      const spend = { scope: "site", window: "PT1H", would_exceed: { EUR: "150.00" } };
      const order = { skill: { eq: "place_order" } };
      const rules = [
        { id: "all", effect: "allow", when: { skill: { exists: true } } },
        { id: "ask", effect: "escalate", when: order },
        { id: "hour", effect: "deny", when: { all: [order, { spend }] } },
        {
          id: "often",
          effect: "deny",
          when: { all: [order, { count: { scope: "agent", window: "PT1H", gt: 3 } }] },
        },
      ];
      const policy = { policy: "rules/1", timezone: "UTC", default: "deny", rules };
      shop = await at.shop(policy as never);
      buyer = await at.buyer(shop);
      const rose = { items: [{ id: "rose", quantity: 1 }], total: "100.00" };
      // The third is at the limit of the count: asked again, it does not count against itself.
      const all = [await asking(rose), await asking(rose), await asking(rose)];
      const statuses = [];
      for (const { decide } of all.slice().reverse()) {
        statuses.push((await decide("approve")).status);
        clock.advance(1000);
      }
      expect(statuses).toEqual([200, 409, 409]);
      clock.advance(2 * HOUR_MS);
      const later = [await asking(rose), await asking(rose)];
      clock.advance(2 * HOUR_MS);
      const late = [];
      for (const { decide } of later) late.push((await decide("approve")).status);
      expect(late).toEqual([200, 409]);
      expect(await at.authorizations(shop)).toHaveLength(2);
    });

    test.each(["deny", "expire"])("erases its token when it ends (%s)", async (how) => {
      const { decide } = await asking();
      if (how === "deny") await decide("deny", { reason_code: "other" });
      else {
        clock.advance(5 * HOUR_MS);
        await decide("approve");
      }
      expect(await tokens()).toEqual([{ sealed_token: null }]);
      expect(await at.authorizations(shop)).toEqual([]);
    });
  });

  test("no token is in the log, in an answer, or unsealed in a table", async () => {
    const token = "pm_card_visa_chargeDeclinedStolenCard";
    await at.order(shop, buyer, { token });
    const { db } = server.context;
    const dump = JSON.stringify([
      await shop.admin("GET", "/audit/records?limit=200"),
      await db.all("SELECT * FROM payments WHERE site_key_hash = ?", shop.site_key_hash),
      await db.all("SELECT * FROM decisions WHERE site_key_hash = ?", shop.site_key_hash),
    ]);
    expect(dump).toContain("payment_declined");
    expect(dump).not.toContain(token);
  });
});
