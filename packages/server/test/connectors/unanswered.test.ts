import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { paymentById } from "../../src/domain/payments/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments, syncPaymentOfAttempt } from "../../src/purchase/reconcile.ts";
import { attemptOf, providerOf } from "../../src/purchase/settle.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { cart } from "../selling/selling.ts";
import { PageBuyer, TYPED } from "../ucp/buyer.ts";
import { BUYER, lines, paying, sent, told } from "../ucp/buying.ts";
import { openShopWorld, type ShopWorld } from "./shop-world.ts";

const MINUTE_MS = 60_000;
const STOCK = 5;
const ROSE = { ...lines(["rose", 1]), buyer: BUYER, ...sent("parcel") };

/** How a reservation goes unanswered, and what the shop has reserved then. */
const FAILURES = [
  ["reserved the goods, and its answer was lost", "silent", 1],
  ["gets the reservation after its release", "late", 0],
] as const;

describe.each(TIER_DATABASES)("a shop that does not answer a reservation, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at, system } = {} as ShopWorld;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openShopWorld(dialect, clock);
    ({ server, platform, at, system } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    system.reset();
    system.stock = { rose: STOCK };
    shop = await at.shop({});
    await system.connect(server, shop.site_key_hash);
  });

  const deliver = () => deliverMessages(server.context);
  const charged = async () => (await at.authorizations(shop)).length;
  const idsOf = (type: string) => system.of(type).map(({ reservation_id: id }) => id);

  /** The shop has the release, gets what was late, and reserves nothing for it. */
  const settleRelease = async (failure: (typeof FAILURES)[number][1]) => {
    await deliver();
    expect(idsOf("release")).toEqual(idsOf("reserve"));
    const late = { type: "reserve.answer", state: "refused", reason: "closed" };
    expect(system.arriveLate()).toEqual(failure === "late" ? [late] : []);
    expect([system.reservations.size, system.stock.rose]).toEqual([0, STOCK]);
    system.spoil = {};
  };

  /** One order, paid once, whose goods left the stock once. */
  const expectSoldOnce = async () => {
    await deliver();
    expect(new Set(idsOf("reserve")).size).toBe(2);
    const orders = await at.orders(shop);
    expect([orders.length, await charged(), system.orders.size]).toEqual([1, 1, 1]);
    expect([system.reservations.size, system.stock.rose]).toEqual([0, STOCK - 1]);
  };

  afterEach(async () => {
    await expectBooksAgree(server.context, shop, { rose: 50 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test.each(FAILURES)(
    "because it %s, leaves the checkout open, and sells it at the next try",
    async (_what, failure, reserved) => {
      const { id } = await at.ready(shop, ROSE);
      system.spoil = { reserve: failure };
      const refused = await at.complete(shop, id, paying(), { key: "first" });
      expect(told(refused)).toEqual([200, "ready_for_complete", "shop_unavailable"]);
      expect(refused.body.messages[0].severity).toBe("recoverable");
      expect([system.reservations.size, await charged()]).toEqual([reserved, 0]);
      await settleRelease(failure);
      // The same request gets the same answer, and a new one buys.
      const again = await at.complete(shop, id, paying(), { key: "first" });
      expect(again.body).toEqual(refused.body);
      const done = await at.complete(shop, id, paying(), { key: "second" });
      expect(told(done)).toEqual([200, "completed"]);
      await expectSoldOnce();
    },
  );

  test("can be tried again before it has the release, and holds the goods twice only until then", async () => {
    const { id } = await at.ready(shop, ROSE);
    system.spoil = { reserve: "silent", release: "late" };
    await at.complete(shop, id);
    await deliver();
    system.spoil = { release: "late" };
    expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
    expect(system.left("rose")).toBe(STOCK - 2);
    system.spoil = {};
    clock.advance(MINUTE_MS);
    await expectSoldOnce();
  });

  test("keeps nobody from changing or cancelling the checkout", async () => {
    const { id } = await at.ready(shop, ROSE);
    system.spoil = { reserve: "silent" };
    await at.complete(shop, id);
    system.spoil = {};
    const changed = await at.update(shop, id, { ...ROSE, ...lines(["rose", 2]) });
    expect(changed.body.status).toBe("ready_for_complete");
    expect(told(await at.cancel(shop, id))).toEqual([200, "canceled"]);
    await deliver();
    expect([system.reservations.size, await at.orders(shop)]).toEqual([0, []]);
  });

  test.each(FAILURES)(
    "because it %s, makes a mandate unavailable, and the same bytes buy once",
    async (_what, failure) => {
      system.ships = false;
      const buyer = await at.buyer(shop);
      const mandate = await at.signed(shop, buyer, { total: "119.00" });
      system.spoil = { reserve: failure };
      const away = await at.send(shop, mandate);
      expect([away.status, away.body.outcome]).toEqual([503, "unavailable"]);
      expect(away.body.message).toContain("Nothing was charged.");
      expect(away.headers.get("retry-after")).toMatch(/^\d+$/);
      await settleRelease(failure);
      const both = await Promise.all([at.send(shop, mandate), at.send(shop, mandate)]);
      expect(both.map(({ body }) => body.outcome)).toEqual(["approved", "approved"]);
      expect(both[0].body.order_id).toBe(both[1].body.order_id);
      expect((await at.send(shop, mandate)).headers.get("idempotent-replayed")).toBe("true");
      const path = `/decisions?mandate_id=${mandate.signed.mandate_id}`;
      expect((await shop.admin("GET", path)).body.items).toMatchObject([{ outcome: "approved" }]);
      const all = (await shop.admin("GET", "/decisions")).body.items;
      const { mandate_id } = mandate.signed;
      expect(all.map((one: JsonObject) => one.outcome).sort()).toEqual(["approved", "rejected"]);
      expect(new Set(all.map((one: JsonObject) => one.mandate_id))).toEqual(new Set([mandate_id]));
      await expectSoldOnce();
    },
  );

  test("does not take other bytes for a mandate, nor the same ones when it has expired", async () => {
    system.ships = false;
    const buyer = await at.buyer(shop);
    const said = { mandate_id: "mandate-of-the-test-1" };
    const mandate = await at.signed(shop, buyer, { total: "119.00" }, said);
    system.spoil = { reserve: "silent" };
    await at.send(shop, mandate);
    system.spoil = {};
    const other = await at.signed(shop, buyer, { total: "118.00" }, said);
    expect((await at.send(shop, other)).body.reason).toBe("mandate_id_conflict");
    clock.advance(10 * MINUTE_MS);
    expect((await at.send(shop, mandate)).body.reason).toBe("mandate_expired");
    await deliver();
    expect([await charged(), system.of("reserve").length]).toEqual([0, 1]);
  });

  const meta = { "ucp-agent": { profile: "" }, "idempotency-key": "mcp-of-the-test" };
  /** Arguments that complete a checkout over MCP, and a mandate for them. */
  const completion = async (id: string, buyer: Buyer, total: string) => {
    const args = {
      meta: { ...meta, "ucp-agent": { profile: platform.profileUrl() } },
      id,
      checkout: paying(),
    };
    const { payment: _, ...signed } = cart({ total, protocol: "mcp" });
    const fields = { ...signed, skill: "complete_checkout", arguments: args };
    return {
      ...args,
      mandate: await signMandate(at.mandate(shop, buyer, fields), buyer.key.signer),
    };
  };
  const use = async (tool: string, args: JsonObject) =>
    (await at.callTool(shop, args, undefined, tool)).result.structuredContent;

  test.each(FAILURES)(
    "because it %s, leaves a checkout over MCP open, and the same call buys it once",
    async (_what, failure) => {
      const buyer = await at.buyer(shop);
      const named = { meta: { ...meta, "ucp-agent": { profile: platform.profileUrl() } } };
      const { id } = await use("create_checkout", { ...named, checkout: ROSE as never });
      const args = await completion(id, buyer, "124.83");
      system.spoil = { reserve: failure };
      const away = await use("complete_checkout", args);
      expect([away.outcome, away.status]).toEqual(["unavailable", "ready_for_complete"]);
      expect(away.messages[0]).toMatchObject({ code: "shop_unavailable", severity: "recoverable" });
      await settleRelease(failure);
      const done = await use("complete_checkout", args);
      expect([done.outcome, done.status]).toEqual(["approved", "completed"]);
      const again = await use("complete_checkout", args);
      expect([again.outcome, again.order]).toEqual(["approved", done.order]);
      await expectSoldOnce();
    },
  );

  const reviews = async () => (await shop.admin("GET", "/escalations")).body.items;
  const approve = async () => {
    const [{ escalation_id }] = await reviews();
    return shop.admin("POST", `/escalations/${escalation_id}/approve`, { note: "Fine" });
  };

  test.each(FAILURES)(
    "because it %s, leaves a review open, and the next approval buys once",
    async (_what, failure) => {
      system.prices.rose = 60_000;
      const { id } = await at.ready(shop, ROSE);
      expect(told(await at.complete(shop, id))).toContain("review_required");
      system.spoil = { reserve: failure };
      expect(await approve()).toMatchObject({
        status: 409,
        body: { error: "approval_blocked", reason_code: "shop_unreachable" },
      });
      expect(await reviews()).toMatchObject([{ status: "pending" }]);
      expect(told(await at.get(shop, id))).toContain("review_required");
      await settleRelease(failure);
      expect((await approve()).body).toEqual({ status: "approved" });
      expect(told(await at.get(shop, id))).toEqual([200, "completed"]);
      await expectSoldOnce();
    },
  );

  test("leaves the review of a mandate open, which its agent can still see", async () => {
    const rules = {
      policy: "rules/1",
      timezone: "UTC",
      default: "deny",
      rules: [
        { id: "sell", effect: "allow", when: { skill: { eq: "place_order" } } },
        {
          id: "ask",
          effect: "escalate",
          when: { skill: { eq: "place_order" } },
          escalation: { expires_in: "PT1H", approvals: 2 },
        },
      ],
    };
    await shop.admin("PUT", "/policy", rules);
    system.ships = false;
    const buyer = await at.buyer(shop);
    const mandate = await at.signed(shop, buyer, { total: "119.00" });
    const { body: asked } = await at.send(shop, mandate);
    expect(asked.outcome).toBe("escalated");
    const reviewer = { name: "Second", role: "reviewer" };
    const { token } = (await shop.admin("POST", "/tokens", reviewer)).body;
    const path = `/v1/admin/sites/${shop.site_key_hash}/escalations/${asked.escalation_id}`;
    expect((await approve()).body.status).toBe("pending");
    const second = () => server.admin("POST", `${path}/approve`, {}, token);
    system.spoil = { reserve: "silent" };
    expect((await second()).body.reason_code).toBe("shop_unreachable");
    expect((await at.send(shop, mandate)).body.escalation_id).toBe(asked.escalation_id);
    await settleRelease("silent");
    // The first approval still counts, and the second is given again.
    expect((await second()).body).toEqual({ status: "approved" });
    expect((await at.send(shop, mandate)).body.outcome).toBe("approved");
    await expectSoldOnce();
  });

  test("ends a review whose checkout was cancelled meanwhile", async () => {
    system.prices.rose = 60_000;
    const { id } = await at.ready(shop, ROSE);
    await at.complete(shop, id);
    system.spoil = { reserve: "never" };
    const approving = approve();
    await expect.poll(() => system.of("reserve").length).toBe(1);
    await at.cancel(shop, id);
    clock.advance(5000);
    expect((await approving).body).toEqual({ status: "payment_failed" });
    await deliver();
    expect([system.reservations.size, await at.orders(shop)]).toEqual([0, []]);
  });

  test("does not end a payment that another process has requested meanwhile", async () => {
    system.connectionLink = null;
    await system.connect(server, shop.site_key_hash);
    const { id, continue_url } = await at.ready(shop, ROSE);
    system.spoil = { reserve: "never" };
    const completing = at.complete(shop, id, paying("pm_sandbox_processing"));
    await expect.poll(() => system.of("reserve").length).toBe(1);
    system.spoil = {};
    // As a buyer who comes back from a bank.
    const { pathname } = new URL(continue_url);
    const page = await fetch(`${server.url}${pathname}?returned`, { redirect: "manual" });
    expect(page.status).toBe(303);
    expect(await at.authorizations(shop, "processing")).toHaveLength(1);
    clock.advance(5000);
    expect(told(await completing)).toEqual([200, "complete_in_progress"]);
    expect(told(await at.complete(shop, id))).not.toContain("completed");
    clock.advance(10 * MINUTE_MS);
    await reconcilePayments(server.context, () => false);
    expect(told(await at.get(shop, id))).toEqual([200, "completed"]);
    await deliver();
    expect([(await at.orders(shop)).length, await charged()]).toEqual([1, 1]);
    expect(system.of("release")).toEqual([]);
  });

  test("voids a late authorization for a review that is open again, and says why", async () => {
    const { context } = server;
    system.prices.rose = 60_000;
    const { id } = await at.ready(shop, ROSE);
    await at.complete(shop, id);
    system.spoil = { reserve: "silent" };
    await approve();
    const [reserved = ""] = idsOf("reserve") as string[];
    const payment = await paymentById(context.db, reserved);
    if (payment === undefined) throw new Error("there is no payment");
    const request = { ...attemptOf(payment), token: "pm_card_visa", first: true, returnUrl: null };
    await providerOf(context, payment).authorize(request);
    await syncPaymentOfAttempt(context, reserved);
    expect(await charged()).toBe(0);
    const outcomes = await at.records(shop, "payment.outcome");
    type Outcome = { readonly record: { readonly decision: JsonObject } };
    const reasons = outcomes.map(({ record }: Outcome) => record.decision.reason_codes);
    expect(reasons).toEqual([["payment_declined"], ["payment_declined"], ["unavailable"]]);
    await settleRelease("silent");
  });

  test("lets a buyer try again on the page of the checkout", async () => {
    system.connectionLink = null;
    await system.connect(server, shop.site_key_hash);
    const { body } = await at.create(shop, lines(["rose", 1]));
    const buyer = new PageBuyer(server.url, body.continue_url);
    const choices = { ...TYPED, option: "parcel" };
    await buyer.look();
    await buyer.press("update", choices);
    await buyer.look();
    system.spoil = { reserve: "silent" };
    const refused = await buyer.press("pay", choices);
    expect(refused.location).not.toContain("/v1/sandbox/payments/");
    expect(await buyer.look()).toContain("Nothing was charged. Try again in a few minutes.");
    await settleRelease("silent");
    await buyer.pay(await buyer.order(choices));
    expect((await at.get(shop, body.id)).body.status).toBe("completed");
    await expectSoldOnce();
  });

  test("is released by a job too, if the process that asked is gone", async () => {
    const { id } = await at.ready(shop, ROSE);
    const { context } = server;
    const { crashPoint } = context;
    Object.assign(context, {
      crashPoint: (point: string) => {
        if (point === "decide.reserved") throw new Error("the process is gone");
      },
    });
    system.spoil = { reserve: "silent" };
    await at.complete(shop, id).catch(() => undefined);
    Object.assign(context, { crashPoint });
    expect([system.reservations.size, system.of("release")]).toEqual([1, []]);
    for (let minute = 0; minute < 40; minute++) {
      clock.advance(MINUTE_MS);
      await reconcilePayments(context, () => false);
    }
    expect(told(await at.get(shop, id))).toContain("shop_unavailable");
    await deliver();
    expect(system.reservations.size).toBe(0);
    system.spoil = {};
    expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
    await expectSoldOnce();
  });
});
