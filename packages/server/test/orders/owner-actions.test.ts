import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { carryOutShipments, undoShipment } from "../../src/actions/orders/plan-shipment.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import type { Transaction } from "../../src/infra/db/database.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { BUYER, lines, openWorld, paying, sent, type World } from "../ucp/buying.ts";

const TWO_AND_ONE = { ...lines(["rose", 2], ["vase", 1]), buyer: BUYER, ...sent() };

const WISHES = [
  ["ship", {}],
  ["cancel", {}],
  ["notes", { text: "x" }],
  ["rehearse", { event: "capture" }],
  ["capture", { revision: 1 }],
  ["refund", { revision: 1 }],
] as const;

describe.each(TIER_DATABASES)("an owner who manages an order, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, stripe, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, stripe, at } = world);
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    stripe.fault = () => undefined;
    shop = await at.shop();
  });
  const change = async (orderId: string, verb: string, body: object = {}) => {
    clock.advance(1000);
    return shop.admin("POST", `/orders/${orderId}/${verb}`, body);
  };
  const show = async (orderId: string) => (await shop.admin("GET", `/orders/${orderId}`)).body;
  const adjustments = async () =>
    (await at.records(shop, "order.adjustment"))
      .reverse()
      .map(({ record }: { record: { adjustment: object } }) => record.adjustment);

  test("it can be shipped in parts, and each part stays listed", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const part = [{ id: "li_1", quantity: 1 }];
    const first = await change(orderId, "ship", { line_items: part, carrier: "DHL" });
    expect([first.status, first.body.status]).toEqual([200, "partly_shipped"]);
    expect(first.body.lines.map(({ fulfilled }: { fulfilled: number }) => fulfilled)).toEqual([
      1, 0,
    ]);
    const rest = await change(orderId, "ship");
    expect(rest.body.status).toBe("shipped");
    expect(rest.body.events).toMatchObject([
      { type: "shipped", line_items: part, carrier: "DHL" },
      {
        type: "shipped",
        line_items: [
          { id: "li_1", quantity: 1 },
          { id: "li_2", quantity: 1 },
        ],
      },
    ]);
    const none = await change(orderId, "ship");
    expect([none.status, none.body.message]).toEqual([409, "Nothing is left to be sent."]);
    expect((await change(orderId, "ship", { type: "delivered" })).status).toBe(200);
    expect((await change(orderId, "ship", { type: "delivered" })).status).toBe(409);
    const record = (await at.records(shop, "order.adjustment")).at(-1);
    expect(record.record).toMatchObject({
      actor: { kind: "token" },
      order_id: orderId,
      adjustment: { kind: "fulfillment", event: "shipped", lines: part },
    });
    expect(JSON.stringify(record)).not.toMatch(/\bDHL\b/);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("a shipment can be undone for ten seconds, and nobody hears of it before they are over", async () => {
    await shop.admin("PUT", "/notifications", { webhook_url: "https://hooks.example/x" });
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const before = await show(orderId);
    const due = async (ms: number) => {
      clock.advance(ms);
      await carryOutShipments(server.context, () => false);
      return show(orderId);
    };
    const report = { line_items: [{ id: "li_1", quantity: 1 }], carrier: "DHL", undo_seconds: 10 };
    const planned = await shop.admin("POST", `/orders/${orderId}/ship`, report);
    expect(planned.body).toMatchObject({
      status: "open",
      planned_shipment: { type: "shipped", by: "operator", problem: null },
    });
    const other = await shop.admin("POST", `/orders/${orderId}/ship`, {});
    expect([other.status, other.body.message]).toEqual([409, expect.stringContaining("undone")]);
    expect((await due(9_999)).messages).toEqual(before.messages);
    expect((await shop.admin("DELETE", `/orders/${orderId}/shipment`)).status).toBe(204);
    expect(await due(60_000)).toEqual(before);
    expect((await shop.admin("DELETE", `/orders/${orderId}/shipment`)).status).toBe(404);

    await shop.admin("POST", `/orders/${orderId}/ship`, report);
    clock.advance(10_000);
    const late = await shop.admin("DELETE", `/orders/${orderId}/shipment`);
    expect([late.status, late.body.message]).toEqual([409, "It is too late to undo this."]);
    const shipped = await due(0);
    expect(shipped).toMatchObject({ status: "partly_shipped", planned_shipment: null });
    expect(shipped.messages.length).toBeGreaterThan(before.messages.length);
    // A second run, as after a crash, reports nothing again.
    expect(await due(0)).toEqual(shipped);
  });

  test.runIf(dialect === "postgres")(
    "a shipment that a node whose clock is ahead carries out meanwhile is not undone",
    async () => {
      const { orderId } = await at.bought(shop, TWO_AND_ONE);
      await shop.admin("POST", `/orders/${orderId}/ship`, { undo_seconds: 10 });
      const { context } = server;
      const { db } = context;
      const ahead = { ...context, clock: new ManualClock(clock.now() + 10_000) };
      /** The other node comes before anything is written. */
      const slow = (tx: Transaction): Transaction => {
        const run: Transaction["run"] = async (...statement) => {
          await carryOutShipments(ahead, () => false);
          return tx.run(...statement);
        };
        return Object.assign(Object.create(tx), { run });
      };
      const transaction = <T>(body: (tx: Transaction) => Promise<T>) =>
        db.transaction((tx) => body(slow(tx)));
      const here = { ...context, db: Object.assign(Object.create(db), { transaction }) };
      const ref = { siteKeyHash: shop.site_key_hash, orderId };
      expect(await undoShipment(here, ref)).toMatchObject({ ok: false, reason: "conflict" });
      expect(await show(orderId)).toMatchObject({ status: "shipped", planned_shipment: null });
    },
  );

  test("a shipment that is undone and reported anew, while a node carries it out, is the new one", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const report = (quantity: number) =>
      shop.admin("POST", `/orders/${orderId}/ship`, {
        line_items: [{ id: "li_1", quantity }],
        undo_seconds: 10,
      });
    expect((await report(2)).status).toBe(200);
    const { context } = server;
    const { audit } = context;
    let isUndone = false;
    const commit: typeof audit.commit = async (...given) => {
      if (!isUndone) {
        isUndone = true;
        clock.advance(1000);
        expect((await shop.admin("DELETE", `/orders/${orderId}/shipment`)).status).toBe(204);
        expect((await report(1)).status).toBe(200);
      }
      return audit.commit(...given);
    };
    const ahead = {
      ...context,
      clock: new ManualClock(clock.now() + 10_000),
      audit: Object.assign(Object.create(audit), { commit }),
    };
    await carryOutShipments(ahead, () => false);
    expect(isUndone).toBe(true);
    const { planned_shipment } = await show(orderId);
    const one = [{ id: "li_1", quantity: 1 }];
    expect(planned_shipment).toMatchObject({ line_items: one, problem: null });
    clock.advance(10_000);
    await carryOutShipments(context, () => false);
    expect((await show(orderId)).events).toMatchObject([{ type: "shipped", line_items: one }]);
  });

  test("a planned shipment that became impossible says why, and ends with the access of its person", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const due = async () => {
      clock.advance(10_000);
      await carryOutShipments(server.context, () => false);
      return (await show(orderId)).planned_shipment?.problem;
    };
    const { token, token_id } = (
      await shop.admin("POST", "/tokens", { name: "Olga", role: "owner" })
    ).body;
    const url = `/v1/admin/sites/${shop.site_key_hash}/orders/${orderId}/ship`;
    expect((await server.admin("POST", url, { undo_seconds: 10 }, token)).status).toBe(200);
    await server.admin("DELETE", `/v1/admin/tokens/${token_id}`);
    expect(await due()).toContain("no longer has access");
    expect((await show(orderId)).events).toEqual([]);
    await shop.admin("POST", `/orders/${orderId}/ship`, { undo_seconds: 10 });
    await change(orderId, "cancel");
    expect(await due()).toBe("Nothing is left to be sent.");
    expect((await shop.admin("DELETE", `/orders/${orderId}/shipment`)).status).toBe(204);
    expect((await show(orderId)).planned_shipment).toBe(null);
  });

  test.each([
    ["more than was ordered", 409, { line_items: [{ id: "li_1", quantity: 3 }] }],
    ["an unknown line", 400, { line_items: [{ id: "li_9", quantity: 1 }] }],
    ["a quantity of zero", 400, { line_items: [{ id: "li_1", quantity: 0 }] }],
    ["a line twice", 400, { line_items: Array(2).fill({ id: "li_1", quantity: 1 }) }],
    ["an unknown type", 400, { type: "eaten" }],
    ["a link that is not a web address", 400, { tracking_url: "javascript:alert(1)" }],
    ["text instead of a link", 400, { tracking_url: "notaurl" }],
    ["a time in the future", 400, { occurred_at: "2031-01-01T00:00:00.000Z" }],
    ["a time before the order", 400, { occurred_at: "2029-01-01T00:00:00.000Z" }],
  ])("%s is refused when shipping, and nothing changes", async (_, status, body) => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const refused = await change(orderId, "ship", body);
    expect([refused.status, typeof refused.body.message]).toEqual([status, "string"]);
    expect(await show(orderId)).toMatchObject({ status: "open", revision: 1, events: [] });
  });

  test("cancelling it before the capture returns the stock and voids the authorization, once", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 48 });
    const reason = "We have no more of these.";
    const cancelled = await change(orderId, "cancel", { reason });
    expect(cancelled.body).toMatchObject({ status: "cancelled", payment: "released" });
    expect(cancelled.body.adjustments).toMatchObject([
      { kind: "cancellation", status: "completed", amount_minor: null, description: reason },
    ]);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 50, reserved: 0 });
    expect(await at.authorizations(shop)).toEqual([]);
    expect(await at.authorizations(shop, "released")).toHaveLength(1);
    const again = await change(orderId, "cancel");
    expect([again.status, again.body.message]).toEqual([409, "Nothing is left to be cancelled."]);
    expect((await change(orderId, "ship")).status).toBe(409);
    expect(await adjustments()).toMatchObject([
      { kind: "cancellation", release: "requested" },
      { kind: "released" },
    ]);
    const read = await at.readOrder(shop, orderId);
    expect(read.body.line_items).toMatchObject([
      { status: "removed", quantity: { original: 2, total: 0, fulfilled: 0 } },
      { status: "removed", quantity: { original: 1, total: 0, fulfilled: 0 } },
    ]);
    expect(read.body.adjustments).toMatchObject([
      {
        type: "cancellation",
        status: "completed",
        description: reason,
        line_items: [
          { id: "li_1", quantity: -2 },
          { id: "li_2", quantity: -1 },
        ],
      },
    ]);
    expect(read.body.fulfillment).toEqual({});
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("cancelling a part keeps the rest authorized, and shipped goods cannot be cancelled", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    await change(orderId, "ship", { line_items: [{ id: "li_1", quantity: 1 }] });
    const all = await change(orderId, "cancel", { line_items: [{ id: "li_1", quantity: 2 }] });
    expect([all.status, all.body.message]).toEqual([
      409,
      "No more than 1 of li_1 can still be cancelled.",
    ]);
    const part = await change(orderId, "cancel");
    expect(part.body).toMatchObject({ status: "shipped", payment: "authorized" });
    expect(part.body.lines).toMatchObject([
      { quantity: 2, total: 1, fulfilled: 1 },
      { quantity: 1, total: 0, fulfilled: 0 },
    ]);
    expect(await at.authorizations(shop)).toHaveLength(1);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 49 });
  });

  test("cancelling it after the capture cancels the goods, and the refund is left to the owner", async () => {
    const { orderId } = await at.bought(shop);
    await change(orderId, "rehearse", { event: "capture" });
    const cancelled = await change(orderId, "cancel");
    expect(cancelled.body).toMatchObject({ status: "cancelled", payment: "captured" });
    const refunded = await change(orderId, "rehearse", { event: "refund" });
    expect(refunded.body.adjustments).toMatchObject([
      { kind: "cancellation" },
      { kind: "refund", status: "completed", amount_minor: 10_490 },
    ]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("with Stripe, cancelling it cancels the intent, and a capture in the meantime is shown", async () => {
    const account = stripe.openAccount({ restricted: true });
    await shop.admin("PUT", "/processor", {
      kind: "stripe",
      secret_key: account.key,
      rail_on: true,
      settles: true,
      publishable_key: "pk_test_0123456789",
      webhook_secret: "whsec_events0123456789abcdef",
    });
    const token = JSON.stringify({ id: "tok_visa" });
    const buy = async () => {
      const { orderId } = await at.bought(shop, undefined, paying(token, "gpay"));
      return { orderId, intent: stripe.intents(account.id)[0]?.id ?? "" };
    };
    const first = await buy();
    expect((await change(first.orderId, "cancel")).body.payment).toBe("released");
    expect(stripe.intents(account.id)[0]).toMatchObject({ status: "canceled" });
    clock.advance(5000);
    const second = await buy();
    stripe.capture(second.intent);
    expect((await change(second.orderId, "cancel")).body).toMatchObject({
      status: "cancelled",
      payment: "captured",
      captured_minor: 10_490,
    });
    clock.advance(5000);
    const third = await buy();
    stripe.fault = () => "drop_before";
    const unheard = await change(third.orderId, "cancel");
    expect(unheard.body).toMatchObject({ status: "cancelled", payment: "authorized" });
    stripe.fault = () => undefined;
    clock.advance(60_000);
    await reconcilePayments(server.context, () => false);
    expect((await show(third.orderId)).payment).toBe("released");
    expect(stripe.intents(account.id)[0]).toMatchObject({ status: "canceled" });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("only what was shipped can be delivered, unless it is marked as picked up", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const none = await change(orderId, "ship", { type: "delivered" });
    expect([none.status, none.body.message]).toEqual([409, "Nothing is left to be delivered."]);
    const one = [{ id: "li_1", quantity: 1 }];
    await change(orderId, "ship", { line_items: one });
    const arrived = await change(orderId, "ship", { type: "delivered" });
    expect(arrived.body.lines).toMatchObject([{ fulfilled: 1, delivered: 1 }, { fulfilled: 0 }]);
    const fetched = await change(orderId, "ship", { type: "delivered", line_items: one });
    expect(fetched.body.lines).toMatchObject([{ fulfilled: 2, delivered: 2 }, { fulfilled: 0 }]);
    // What was fetched and what was sent besides have both left: none of them comes back.
    const again = await at.bought(shop, TWO_AND_ONE);
    await change(again.orderId, "ship", { type: "delivered", line_items: one });
    await change(again.orderId, "ship", { line_items: one });
    const kept = await change(again.orderId, "cancel", { line_items: one });
    expect([kept.status, kept.body.message]).toEqual([
      409,
      "Nothing of li_1 can still be cancelled.",
    ]);
  });

  test("refunds do not count towards the limit of cancellations, and test refunds are limited", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    await change(orderId, "rehearse", { event: "capture" });
    for (let i = 0; i < 50; i++) {
      const back = await change(orderId, "rehearse", { event: "refund", amount_minor: 1 });
      expect(back.status).toBe(200);
    }
    const more = await change(orderId, "rehearse", { event: "refund", amount_minor: 1 });
    expect([more.status, more.body.message]).toEqual([
      409,
      expect.stringContaining("at most 50 refunds"),
    ]);
    expect((await change(orderId, "cancel")).status).toBe(200);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("what people wrote about it is deleted with its site", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    await change(orderId, "notes", { text: "Ada Love called" });
    await change(orderId, "ship", { line_items: [{ id: "li_1", quantity: 1 }], carrier: "DHL" });
    await change(orderId, "cancel", { reason: "Ada Love called" });
    await server.admin("DELETE", `/v1/admin/sites/${shop.site_key_hash}`);
    const { db } = server.context;
    for (const table of ["order_notes", "order_events"]) {
      const sql = `SELECT 1 FROM ${table} WHERE order_id = ?`;
      expect(await db.all(sql, orderId)).toEqual([]);
    }
    const kept = "SELECT description FROM order_adjustments WHERE order_id = ?";
    expect(await db.all(kept, orderId)).toEqual([{ description: null }]);
  });

  test("of two concurrent cancellations only one succeeds", async () => {
    const { orderId } = await at.bought(shop, TWO_AND_ONE);
    const both = await Promise.all([change(orderId, "cancel"), change(orderId, "cancel")]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 50 });
  });

  test("notes are for the owner's team, and no platform, log or auditor gets them", async () => {
    const { orderId } = await at.bought(shop);
    const noted = await change(orderId, "notes", { text: "Called her: leave it at the door." });
    expect([noted.status, noted.body.text]).toEqual([201, "Called her: leave it at the door."]);
    expect((await show(orderId)).notes).toMatchObject([{ text: noted.body.text }]);
    expect(JSON.stringify((await at.readOrder(shop, orderId)).body)).not.toMatch(/\bdoor\b/);
    expect(JSON.stringify(await at.records(shop, "order.adjustment"))).not.toMatch(/\bdoor\b/);
    const { site_key_hash } = shop;
    const { body } = await server.admin("POST", "/v1/admin/tokens", {
      name: "auditor",
      role: "auditor",
      sites: [site_key_hash],
    });
    const path = `/v1/admin/sites/${site_key_hash}/orders/${orderId}`;
    const seen = await server.admin("GET", path, undefined, body.token);
    expect(seen.body).toMatchObject({ notes: [], messages: [], purchase: null });
    for (const [verb, sent] of WISHES) {
      const denied = await server.admin("POST", `${path}/${verb}`, sent, body.token);
      expect([verb, denied.status]).toEqual([verb, 403]);
    }
    expect((await change(orderId, "notes", { text: " " })).status).toBe(400);
  });

  test("another site's order is not found by any action", async () => {
    const { orderId } = await at.bought(shop);
    const other = await at.shop();
    for (const [verb, body] of WISHES) {
      const path = `/orders/${orderId}/${verb}`;
      expect([verb, (await other.admin("POST", path, body)).status]).toEqual([verb, 404]);
    }
  });

  test("all orders are in one list, filtered by status and payment", async () => {
    const buyer = await at.buyer(shop);
    expect((await at.order(shop, buyer)).status).toBe(200);
    clock.advance(1000);
    const { orderId } = await at.bought(shop);
    const list = async (query: string) =>
      (await shop.admin("GET", `/orders?${query}`)).body.items.map(
        ({ protocol }: { protocol: string }) => protocol,
      );
    expect(await list("")).toEqual(["ucp", "a2a"]);
    await change(orderId, "ship");
    expect(await list("status=shipped")).toEqual(["ucp"]);
    expect(await list("status=open")).toEqual(["a2a"]);
    await change(orderId, "rehearse", { event: "capture" });
    expect(await list("payment=captured")).toEqual(["ucp"]);
    expect(await list("payment=authorized&status=open")).toEqual(["a2a"]);
    expect((await shop.admin("GET", "/orders?status=lost")).status).toBe(400);
  });

  test("test events cannot exceed the order's amounts, and need the sandbox", async () => {
    const { orderId } = await at.bought(shop);
    const play = async (event: string, amount_minor?: number) =>
      (await change(orderId, "rehearse", { event, amount_minor })).status;
    expect(await play("refund")).toBe(409);
    expect(await play("win_dispute")).toBe(409);
    expect(await play("capture", 20_000)).toBe(409);
    expect(await play("capture", 9000)).toBe(200);
    expect(await play("capture")).toBe(409);
    expect(await play("lapse")).toBe(409);
    expect(await play("refund", 9001)).toBe(409);
    expect(await play("refund", 4000)).toBe(200);
    expect(await play("dispute")).toBe(200);
    expect(await play("refund", 1)).toBe(409);
    expect(await play("win_dispute")).toBe(200);
    expect(await play("refund")).toBe(200);
    const sums = (await show(orderId)).adjustments.map(
      ({ kind, status, amount_minor }: Record<string, unknown>) => [kind, status, amount_minor],
    );
    expect(sums).toEqual([
      ["refund", "completed", 4000],
      ["dispute", "failed", 5000],
      ["refund", "completed", 5000],
    ]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("an authorization that expired without a capture is shown as expired", async () => {
    const { orderId } = await at.bought(shop);
    expect(await show(orderId)).toMatchObject({ lapses_at: null, lapses_in_seconds: null });
    await change(orderId, "rehearse", { event: "lapse" });
    expect((await show(orderId)).payment).toBe("lapsed");
    expect((await change(orderId, "cancel")).body).toMatchObject({
      status: "cancelled",
      payment: "lapsed",
    });
  });
});
