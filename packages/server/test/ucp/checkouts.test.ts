import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { DatabaseUnavailableError } from "../../src/infra/db/database.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { cleanUp, freshEnvironment, NOON, startServer, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { runningTwice } from "../twice.ts";
import {
  ADDRESS,
  BUYER,
  buying,
  lines,
  openWorld,
  paying,
  ROSE,
  SHOP,
  sent,
  told,
  type World,
} from "./buying.ts";
import { isSigned, Platform, profileOf } from "./platform.ts";
import { requestFaults, schemasThere } from "./schemas.ts";

const HOUR_MS = 3_600_000;

describe.each(TIER_DATABASES)("a platform's checkout, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    // What jobs do is done when a test says so.
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
  });
  const totals = (body: { totals: { type: string; amount: number }[] }) =>
    Object.fromEntries(body.totals.map(({ type, amount }) => [type, amount]));
  const agree = () => expectBooksAgree(server.context, shop, { rose: 50, palm: 5, last: 1 });

  test("goes from the items to an order, step by step", async () => {
    const made = await at.create(shop, lines(["rose", 2]));
    expect(told(made)).toEqual([201, "incomplete", "field_required", "field_required"]);
    const { id } = made.body;
    expect(id).toMatch(/^chk_[\w-]{24}$/);
    expect(made.body.expires_at).toBe(new Date(clock.now() + 6 * HOUR_MS).toISOString());
    const where = { ...lines(["rose", 2]), buyer: BUYER, ...sent(null) };
    const offered = await at.update(shop, id, where);
    expect(told(offered)).toEqual([200, "incomplete", "field_required"]);
    const [method] = offered.body.fulfillment.methods;
    expect(method.groups[0].options).toEqual([
      {
        id: "standard",
        title: "By post",
        description: { plain: "2 to 4 days" },
        totals: [{ type: "total", amount: 490 }],
      },
      { id: "express", title: "By courier", totals: [{ type: "total", amount: 1200 }] },
    ]);
    expect(method.destinations).toEqual([{ ...ADDRESS, id: "dest_1", type: "shipping_address" }]);
    // Whoever was told of an address may name it again by its id alone.
    const chosen = {
      selected_destination_id: "dest_1",
      line_item_ids: ["li_1"],
      groups: [{ id: "parcel", selected_option_id: "express" }],
    };
    const ready = await at.update(shop, id, { ...where, fulfillment: { methods: [chosen] } });
    expect(told(ready)).toEqual([200, "ready_for_complete"]);
    expect(totals(ready.body)).toEqual({ subtotal: 20_000, fulfillment: 1200, total: 21_200 });
    const done = await at.complete(shop, id);
    expect(told(done)).toEqual([200, "completed"]);
    const [order] = await at.orders(shop);
    expect(done.body.order).toEqual({
      id: order.order_id,
      label: "#1001",
      permalink_url: expect.stringContaining(`/v1/ucp/${shop.site_key_hash}/pages/page_`),
    });
    expect(done.body.continue_url).toBeUndefined();
    const kept = (await shop.admin("GET", `/orders/${order.order_id}`)).body;
    expect([kept.checkout_id, kept.purchase]).toEqual([
      id,
      {
        checkout_id: id,
        buyer: BUYER,
        address: ADDRESS,
        delivery: { id: "express", title: "By courier" },
        subtotal_minor: 20_000,
        shipping_minor: 1200,
        fee_minor: 0,
        tax_minor: 0,
        quoted_at: null,
      },
    ]);
    expect(order.purchase).toBeUndefined();
    expect(order).toMatchObject({ amount: { minor: 21_200, currency: "EUR" }, protocol: "ucp" });
    expect((await at.authorizations(shop)).map((one) => one.amount_minor)).toEqual([21_200]);
    expect((await at.get(shop, id)).body).toEqual(done.body);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 48, reserved: 0 });
    await agree();
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("is answered signed and with the terms, without any token or credential", async () => {
    const address = `${server.url}/v1/ucp/${shop.site_key_hash}/profile`;
    const profile = (await (await fetch(address)).json()) as never;
    const { id } = await at.ready(shop);
    const answers = [await at.get(shop, id), await at.complete(shop, id)];
    for (const answer of answers) {
      expect(await isSigned(profile, answer, clock.now())).toBe(true);
      expect(answer.body.policies).toEqual([
        expect.objectContaining({ type: "dev.gatehouse.policy.site_terms" }),
      ]);
      expect(answer.body.ucp.payment_handlers).toHaveProperty(["dev.gatehouse.sandbox"]);
      expect(JSON.stringify(answer.body)).not.toContain("pm_card");
    }
  });

  test("is the same under the contract's own address", async () => {
    const made = await at.call(shop, "/checkouts", ROSE);
    expect(told(made)).toEqual([201, "ready_for_complete"]);
    const key = "the-same-key";
    const done = await at.call(shop, `/checkouts/${made.body.id}/complete`, paying(), { key });
    expect(told(done)).toEqual([200, "completed"]);
    expect((await at.get(shop, made.body.id)).body).toEqual(done.body);
  });

  test("of a cart has the items of the cart, and is created once while it is open", async () => {
    const cart = await at.call(shop, "/carts", { ...lines(["rose", 1]), buyer: BUYER });
    const from = { cart_id: cart.body.id, ...lines(["palm", 3]), ...sent() };
    const made = await at.create(shop, from);
    expect(told(made)).toEqual([201, "ready_for_complete"]);
    expect(made.body.line_items[0].item.id).toBe("rose");
    const again = await at.create(shop, { ...from, buyer: { email: "eve@example.com" } });
    expect([told(again), again.body.id]).toEqual([[200, "ready_for_complete"], made.body.id]);
    expect(again.body.buyer).toEqual(made.body.buyer);
    await at.complete(shop, made.body.id);
    expect(told(await at.create(shop, from))).toEqual([200, "error", "not_found"]);
    const none = await at.create(shop, { cart_id: "cart_none", line_items: [] });
    expect(told(none)).toEqual([200, "error", "not_found"]);
  });

  test("is not created for items that cannot be bought, and waits if it is changed to them", async () => {
    const none = await at.create(shop, { ...ROSE, ...lines(["rose", 1], ["none", 1]) });
    expect(told(none)).toEqual([200, "error", "not_found"]);
    const { id } = await at.ready(shop);
    const changed = await at.update(shop, id, { ...ROSE, ...lines(["gone", 1], ["rose", 1]) });
    expect(told(changed)).toEqual([200, "incomplete", "item_unavailable"]);
    expect(told(await at.complete(shop, id))).toEqual([200, "incomplete", "item_unavailable"]);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("shows delivery options and tax as soon as the country is known", async () => {
    const country = { address_country: "AT" };
    const asked = [
      { ...lines(["rose", 1]), ...sent(null, country) },
      { ...lines(["rose", 1]), context: country },
    ];
    for (const body of asked) {
      const made = await at.create(shop, body);
      const [method] = made.body.fulfillment.methods;
      const options = method.groups[0].options.map(({ id }: { id: string }) => id);
      expect(options).toEqual(["standard", "express"]);
      expect(totals(made.body)).toEqual({ subtotal: 10_000, tax: 2000, total: 12_000 });
      expect(made.body.status).toBe("incomplete");
    }
    const chosen = await at.create(shop, {
      ...lines(["rose", 1]),
      buyer: BUYER,
      ...sent("express", country),
    });
    expect(told(chosen)).toEqual([201, "incomplete", "field_required"]);
    expect(chosen.body.messages[0].path).toBe("$.fulfillment.methods[0].destinations");
    expect(totals(chosen.body)).toMatchObject({ fulfillment: 1200, total: 13_440 });
    expect(told(await at.complete(shop, chosen.body.id))).toEqual([
      200,
      "incomplete",
      "field_required",
    ]);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("can be sent only where the shop ships, and is taxed at the destination", async () => {
    const away = await at.create(shop, {
      ...ROSE,
      ...sent("standard", { ...ADDRESS, address_country: "US" }),
    });
    expect(told(away)).toEqual([201, "incomplete", "address_undeliverable"]);
    const vienna = await at.create(shop, {
      ...ROSE,
      ...sent("standard", { ...ADDRESS, address_country: "at" }),
    });
    expect(totals(vienna.body)).toEqual({
      subtotal: 10_000,
      fulfillment: 490,
      tax: 2098,
      total: 12_588,
    });
    const { first_name: _, last_name: __, ...nameless } = ADDRESS;
    const buyer = { email: "ada@example.com" };
    const halves = [
      { ...ROSE, ...sent("standard", { address_country: "DE" }) },
      { ...ROSE, ...sent("standard", { ...ADDRESS, address_country: "Germany" }) },
      { ...ROSE, buyer, ...sent("standard", nameless) },
      { ...ROSE, buyer: { ...BUYER, email: "ada" } },
    ];
    for (const half of halves) {
      expect(told(await at.create(shop, half))).toEqual([201, "incomplete", "field_required"]);
    }
  });

  test("of a shop that ships nothing needs no address", async () => {
    shop = await at.shop({ shipping: [] });
    const made = await at.create(shop, { ...lines(["rose", 1]), buyer: BUYER });
    expect(told(made)).toEqual([201, "ready_for_complete"]);
    expect(made.body.fulfillment).toBeUndefined();
    expect(told(await at.complete(shop, made.body.id))).toEqual([200, "completed"]);
  });

  describe("at completion:", () => {
    test.each([
      ["pm_card_chargeDeclined", "payment_failed"],
      ["tok_of_nobody", "payment_failed"],
    ])("%s gets %s, and another card can pay", async (token, code) => {
      const { id } = await at.ready(shop);
      const failed = await at.complete(shop, id, paying(token));
      expect(told(failed)).toEqual([200, "ready_for_complete", code]);
      expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete", code]);
      expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
      expect(await at.orders(shop)).toHaveLength(1);
      await agree();
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test.each([
      ["no instrument", {}],
      ["two instruments", twice(paying())],
      ["another handler", paying("pm_card_visa", "gpay")],
      ["no token", paying("4242424242424242")],
    ])("nothing is charged with %s", async (_name, payment) => {
      const { id } = await at.ready(shop);
      const refused = await at.complete(shop, id, payment);
      expect(told(refused)).toEqual([200, "ready_for_complete", "payment_failed"]);
      expect(await at.authorizations(shop, "declined")).toEqual([]);
      expect(await at.records(shop, "checkout.decision")).toEqual([]);
    });

    test("a token may be inside a wallet's JSON", async () => {
      const { id } = await at.ready(shop);
      const token = JSON.stringify({ id: "tok_visa", object: "token" });
      expect(told(await at.complete(shop, id, paying(token)))).toEqual([200, "completed"]);
    });

    test("a changed price or cost is shown first, and never charged unseen", async () => {
      const { id } = await at.ready(shop);
      const dearer = [
        { id: "rose", title: "A rose", price: "120.00", currency: "EUR", quantity: 50 },
      ];
      await at.importLines(shop, dearer);
      const changed = await at.complete(shop, id);
      expect(told(changed)).toEqual([200, "ready_for_complete", "quote_changed"]);
      expect(totals(changed.body)).toMatchObject({ subtotal: 12_000, total: 12_490 });
      expect(await at.authorizations(shop)).toEqual([]);
      expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
      expect((await at.authorizations(shop)).map((one) => one.amount_minor)).toEqual([12_490]);
    });

    test("reading the checkout shows a changed price too, and completing then charges it", async () => {
      const { id } = await at.ready(shop);
      await at.importLines(shop, [
        { id: "rose", title: "A rose", price: "80.00", currency: "EUR" },
      ]);
      expect(totals((await at.get(shop, id)).body)).toMatchObject({ total: 8490 });
      expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
    });

    test("an item that sold out in the meantime is shown as out of stock", async () => {
      const { id } = await at.ready(shop, { ...ROSE, ...lines(["last", 1]) });
      await at.importLines(shop, [
        { id: "last", title: "The last one", price: "20.00", currency: "EUR", quantity: 0 },
      ]);
      const gone = await at.complete(shop, id);
      expect(told(gone)).toEqual([200, "incomplete", "out_of_stock"]);
      expect(told(await at.complete(shop, id))).toEqual([200, "incomplete", "out_of_stock"]);
      expect(await at.authorizations(shop)).toEqual([]);
    });

    test("two buyers of the last item lead to one order, and nothing is held for the other", async () => {
      const two = await Promise.all(
        [0, 1].map(() => at.ready(shop, { ...ROSE, ...lines(["last", 1]) })),
      );
      const ends = await Promise.all(two.map(({ id }) => at.complete(shop, id)));
      expect(ends.map(({ body }) => body.status).sort()).toEqual(["completed", "incomplete"]);
      expect(await at.orders(shop)).toHaveLength(1);
      await agree();
    });

    test("a denial by the rules is final, and recorded", async () => {
      const { id } = await at.ready(shop, { ...ROSE, ...lines(["palm", 2]) });
      const denied = await at.complete(shop, id);
      expect(told(denied)).toEqual([200, "incomplete", "policy_denied"]);
      expect(denied.body.messages[0].severity).toBe("unrecoverable");
      // Neither asking again nor changing it puts it before the rules once more.
      expect(told(await at.update(shop, id, ROSE))).toEqual([200, "incomplete", "policy_denied"]);
      expect(told(await at.complete(shop, id))).toEqual([200, "incomplete", "policy_denied"]);
      expect(await at.records(shop, "checkout.decision")).toHaveLength(1);
      const [{ record }] = await at.records(shop, "checkout.decision");
      expect(record).toMatchObject({
        agent: { id: platform.profileUrl() },
        skill: "complete_checkout",
        protocol: "ucp",
        decision: { outcome: "rejected", reason_codes: ["policy_denied"] },
        checkout: { checkout_id: id },
      });
      expect(JSON.stringify(record)).not.toMatch(/ada@|Gartenstr/);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
      await agree();
    });

    test("an unknown payment outcome leaves it in progress, until the outcome is known", async () => {
      const { id } = await at.ready(shop);
      const key = "asked-once";
      const open = await at.complete(shop, id, paying("pm_sandbox_timeout"), { key });
      expect(told(open)).toEqual([200, "complete_in_progress"]);
      expect(open.body.order).toBeUndefined();
      const late = await at.update(shop, id, ROSE);
      expect(told(late)).toEqual([200, "complete_in_progress", "not_allowed"]);
      expect(told(await at.complete(shop, id))).toEqual([
        200,
        "complete_in_progress",
        "not_allowed",
      ]);
      clock.advance(HOUR_MS);
      await reconcilePayments(server.context, () => false);
      const done = await at.complete(shop, id, paying("pm_sandbox_timeout"), { key });
      expect(told(done)).toEqual([200, "completed"]);
      expect((await at.get(shop, id)).body).toEqual(done.body);
      expect(await at.authorizations(shop)).toHaveLength(1);
      await agree();
    });

    test("cancelling it while it is in progress leads to no order, and the authorization is voided", async () => {
      const { id } = await at.ready(shop);
      await at.complete(shop, id, paying("pm_sandbox_timeout"));
      expect(told(await at.cancel(shop, id))).toEqual([200, "canceled"]);
      clock.advance(HOUR_MS);
      await reconcilePayments(server.context, () => false);
      expect(await at.orders(shop)).toEqual([]);
      expect(await at.authorizations(shop)).toEqual([]);
      expect(await at.authorizations(shop, "released")).toHaveLength(1);
      expect(told(await at.get(shop, id))).toEqual([200, "canceled"]);
      await agree();
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });
  });

  describe("after its end:", () => {
    test("nothing changes about a completed one", async () => {
      const { id } = await at.ready(shop);
      const done = await at.complete(shop, id);
      for (const again of [at.update(shop, id, ROSE), at.complete(shop, id), at.cancel(shop, id)]) {
        const answer = await again;
        expect(told(answer)).toEqual([200, "completed", "not_allowed"]);
        expect(answer.body.order).toEqual(done.body.order);
      }
      expect(await at.orders(shop)).toHaveLength(1);
    });

    test("nothing changes about a cancelled or expired one", async () => {
      const { id } = await at.ready(shop);
      expect(told(await at.cancel(shop, id))).toEqual([200, "canceled"]);
      expect(told(await at.complete(shop, id))).toEqual([200, "canceled", "not_allowed"]);
      expect(told(await at.cancel(shop, id))).toEqual([200, "canceled", "not_allowed"]);
      const { id: old } = await at.ready(shop);
      clock.advance(6 * HOUR_MS);
      expect(told(await at.get(shop, old))).toEqual([200, "canceled"]);
      expect(told(await at.complete(shop, old))).toEqual([200, "canceled", "not_allowed"]);
      expect(await at.authorizations(shop)).toEqual([]);
    });
  });

  describe("when a request is sent again", () => {
    test("with its key, gets the same answer, and nothing is done twice", async () => {
      const key = "k-1";
      const made = await at.create(shop, ROSE, { key });
      const again = await at.create(shop, ROSE, { key });
      expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([made.body, "true"]);
      const done = await at.complete(shop, made.body.id, paying(), { key });
      expect((await at.complete(shop, made.body.id, paying(), { key })).body).toEqual(done.body);
      const replies = () =>
        server.context.db.all(
          "SELECT * FROM ucp_replies WHERE site_key_hash = ?",
          shop.site_key_hash,
        );
      const kept = (await replies()).length;
      await at.complete(shop, made.body.id);
      await at.update(shop, made.body.id, ROSE);
      expect(await replies()).toHaveLength(kept);
      const other = await at.complete(shop, made.body.id, paying("tok_visa"), { key });
      expect([other.status, other.body.code]).toEqual([409, "conflict"]);
      expect(await at.authorizations(shop)).toHaveLength(1);
    });

    test("while its outcome is unknown, is refused, and then completed once", async () => {
      const { id } = await at.ready(shop);
      const { db } = server.context;
      const { get } = db;
      const key = "while-away";
      // The store of what was answered does not answer.
      db.get = ((sql: string, ...values: never[]) =>
        sql.includes("ucp_replies")
          ? Promise.reject(new DatabaseUnavailableError("away"))
          : get.call(db, sql, ...values)) as typeof db.get;
      const away = await at.complete(shop, id, paying(), { key }).finally(() => {
        db.get = get;
      });
      expect([away.status, away.body.code]).toEqual([503, "unavailable"]);
      expect(away.headers.get("retry-after")).toBe("5");
      expect(await at.authorizations(shop)).toEqual([]);
      expect(told(await at.complete(shop, id, paying(), { key }))).toEqual([200, "completed"]);
    });

    test("many times at once, is completed once", async () => {
      const { id } = await at.ready(shop);
      const key = "at-once";
      const all = await Promise.all(
        Array.from({ length: 8 }, () => at.complete(shop, id, paying(), { key })),
      );
      const states = new Set(all.map(({ body }) => body.status));
      for (const state of states) expect(["completed", "complete_in_progress"]).toContain(state);
      expect(await at.orders(shop)).toHaveLength(1);
      expect(await at.authorizations(shop)).toHaveLength(1);
      expect(told(await at.complete(shop, id, paying(), { key }))).toEqual([200, "completed"]);
    });
  });

  describe("can be completed only by its own platform:", () => {
    test("without a signature it is refused, unless the owner allows it, under an unsigned name", async () => {
      const made = await at.create(shop, ROSE, { sign: false });
      const { id } = made.body;
      const refused = await at.complete(shop, id, paying(), { sign: false });
      expect([refused.status, refused.body.code]).toEqual([401, "signature_missing"]);
      await shop.admin("PUT", "/shop", { ...SHOP, allow_unsigned: true } as never);
      const done = await at.complete(shop, id, paying(), { sign: false });
      expect(told(done)).toEqual([200, "completed"]);
      const [order] = await at.orders(shop);
      expect(order.agent_id).toBe(`unsigned ${platform.profileUrl()}`);
    });

    test("one created with a signature is shown to no unsigned caller, and to no other platform", async () => {
      const { id } = await at.ready(shop);
      const others = [
        await at.get(shop, id, { sign: false }),
        await at.get(shop, id, { profile: platform.profileUrl("other") }),
        await at.complete(shop, id, paying(), { profile: platform.profileUrl("other") }),
        await at.cancel(shop, id, { sign: false }),
      ];
      for (const other of others) expect(told(other)).toEqual([200, "error", "not_found"]);
      const elsewhere = await at.shop();
      expect(told(await at.get(elsewhere, id))).toEqual([200, "error", "not_found"]);
    });

    test("a platform that never sends `created` creates, updates and completes a checkout", async () => {
      const undated = { undated: true };
      const made = await at.create(shop, lines(["rose", 1]), undated);
      expect(told(made)).toEqual([201, "incomplete", "field_required", "field_required"]);
      const { id } = made.body;
      const updated = await at.update(shop, id, ROSE, undated);
      expect(told(updated)).toEqual([200, "ready_for_complete"]);
      const done = await at.complete(shop, id, paying(), undated);
      expect(told(done)).toEqual([200, "completed"]);
      const [order] = await at.orders(shop);
      expect(order).toMatchObject({ order_id: done.body.order.id, amount: { minor: 10_490 } });
      expect(order.agent_id).toBe(platform.profileUrl());
      // Reads have no idempotency key, so anybody who saw one could send it again.
      for (const read of [
        await at.get(shop, id, undated),
        await at.readOrder(shop, order.order_id, undated),
      ]) {
        expect([read.status, read.body.code]).toEqual([401, "signature_invalid"]);
      }
      expect(told(await at.get(shop, id))).toEqual([200, "completed"]);
      await agree();
    });

    test("a signature without `created` does nothing else under the idempotency key that it covers", async () => {
      const undated = { undated: true, key: "undated-once" };
      const { id } = (await at.create(shop, ROSE, undated)).body;
      const two = { ...ROSE, ...lines(["rose", 2]) };
      expect(told(await at.update(shop, id, ROSE, undated))).toEqual([200, "ready_for_complete"]);
      const declined = await at.complete(shop, id, paying("pm_card_chargeDeclined"), undated);
      expect(told(declined)).toEqual([200, "ready_for_complete", "payment_failed"]);
      const conflicts = [
        await at.create(shop, two, undated),
        await at.update(shop, id, two, undated),
        await at.complete(shop, id, paying(), undated),
      ];
      for (const { status, body } of conflicts) {
        expect([status, body.code]).toEqual([409, "conflict"]);
      }
      expect(totals((await at.get(shop, id)).body)).toMatchObject({ subtotal: 10_000 });
      expect(await at.authorizations(shop)).toEqual([]);
      expect(await at.orders(shop)).toEqual([]);
    });

    test("a signature without `created` can pay if it covers the idempotency key", async () => {
      const undated = { undated: true, key: "undated-completion" };
      const { id } = await at.ready(shop);
      const done = await at.complete(shop, id, paying(), undated);
      expect(told(done)).toEqual([200, "completed"]);
      const again = await at.complete(shop, id, paying(), undated);
      expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([done.body, "true"]);
      expect(await at.authorizations(shop)).toHaveLength(1);
      const other = await at.ready(shop);
      const fields = ["@method", "@authority", "@path", "content-type", "ucp-agent"];
      fields.push("content-digest");
      const uncovered = await at.complete(shop, other.id, paying(), { undated: true, fields });
      expect([uncovered.status, uncovered.body.code]).toEqual([401, "signature_invalid"]);
      expect(await at.authorizations(shop)).toHaveLength(1);
    });

    test("a signature without `created` is refused for a cart or checkout older than 48 hours", async () => {
      const { id } = await at.ready(shop);
      const { body: cart } = await at.call(shop, "/carts", lines(["rose", 1]));
      const undated = { undated: true };
      clock.advance(48 * HOUR_MS);
      expect((await at.update(shop, id, ROSE, undated)).status).toBe(200);
      clock.advance(1000);
      const tries = [
        await at.update(shop, id, ROSE, undated),
        await at.complete(shop, id, paying(), undated),
        await at.cancel(shop, id, undated),
        await at.call(shop, `/carts/${cart.id}`, lines(["rose", 2]), { ...undated, method: "PUT" }),
        await at.call(shop, `/carts/${cart.id}/cancel`, undefined, undated),
      ];
      for (const { status, body } of tries) {
        expect([status, body.code]).toEqual([401, "signature_invalid"]);
      }
      expect((await at.cancel(shop, id)).status).toBe(200);
    });

    test("an old signature cannot pay, and one without `created` cannot read", async () => {
      const { id } = await at.ready(shop);
      const old = await at.complete(shop, id, paying(), { created: clock.now() - 301_000 });
      expect([old.status, old.body.code]).toEqual([401, "signature_invalid"]);
      const over = { expires: clock.now() - 61_000 };
      const expired = await at.complete(shop, id, paying(), over);
      expect([expired.status, expired.body.code]).toEqual([401, "signature_invalid"]);
      const undated = await at.complete(shop, id, paying(), { ...over, undated: true });
      expect([undated.status, undated.body.code]).toEqual([401, "signature_invalid"]);
      const read = await at.get(shop, id, { undated: true });
      expect([read.status, read.body.code]).toEqual([401, "signature_invalid"]);
      expect(await at.authorizations(shop)).toEqual([]);
    });

    test("a body that was not signed is refused", async () => {
      const { id } = await at.ready(shop);
      const swapped = await at.complete(shop, id, paying(), {
        sent: JSON.stringify(paying("tok_visa")),
      });
      expect([swapped.status, swapped.body.code]).toEqual([400, "digest_mismatch"]);
      expect(await at.authorizations(shop)).toEqual([]);
    });
  });

  test("of a shop that no longer sells can be read and cancelled, but not completed", async () => {
    const { id } = await at.ready(shop);
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: false, settles: true });
    const shut = [200, "error", "capabilities_incompatible"];
    expect(told(await at.complete(shop, id))).toEqual(shut);
    expect(told(await at.create(shop))).toEqual(shut);
    expect(told(await at.update(shop, id, ROSE))).toEqual(shut);
    expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete"]);
    expect(told(await at.cancel(shop, id))).toEqual([200, "canceled"]);
  });

  test("whose shop is deleted in the meantime is gone, and nothing of it is kept", async () => {
    const { id } = await at.ready(shop);
    const asked = [at.update(shop, id, ROSE), at.create(shop), at.complete(shop, id)];
    await shop.admin("DELETE", "");
    for (const { status } of await Promise.all(asked)) expect([200, 201, 404]).toContain(status);
    for (const table of [
      "checkouts",
      "carts",
      "ucp_replies",
      "agreed_terms",
      "site_signing_keys",
    ]) {
      const sql = `SELECT * FROM ${table} WHERE site_key_hash = ?`;
      expect([table, await server.context.db.all(sql, shop.site_key_hash)]).toEqual([table, []]);
    }
    clock.advance(HOUR_MS);
    await reconcilePayments(server.context, () => false);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("by a platform without fulfillment support gets an error if something has to be shipped", async () => {
    const before = platform.profile;
    platform.profile = profileOf([platform.key.publicJwk], ["dev.ucp.shopping.checkout"]);
    const profile = platform.profileUrl("plain");
    const made = await at.create(shop, ROSE, { profile });
    platform.profile = before;
    expect(told(made)).toEqual([201, "incomplete", "capabilities_incompatible"]);
    expect(made.body.ucp.capabilities).not.toHaveProperty(["dev.ucp.shopping.fulfillment"]);
  });
});

function twice({ payment }: ReturnType<typeof paying>) {
  return { payment: { instruments: [...payment.instruments, ...payment.instruments] } };
}

test("a shop limits how much is created and changed in a minute, and repeating costs nothing", async () => {
  const clock = new ManualClock(NOON);
  const platform = await Platform.start();
  onTestFinished(() => platform.stop());
  const limits = { GATEHOUSE_SHOP_CHANGES_PER_SITE_PER_MINUTE: "3" };
  const env = { ...(await freshEnvironment("sqlite")), ...limits };
  const allowed = { ...env, GATEHOUSE_FETCH_ALLOW: platform.host };
  // A transaction that has to run again counts once.
  const server = await startServer(allowed, { clock, database: runningTwice });
  onTestFinished(cleanUp);
  const at = buying(server, platform, clock);
  const shop = await at.shop();
  const made = await at.create(shop, ROSE, { key: "k-1" });
  await at.update(shop, made.body.id, ROSE);
  expect((await at.create(shop, ROSE, { key: "k-1" })).body.id).toBe(made.body.id);
  expect((await at.call(shop, "/carts", lines(["rose", 1]))).status).toBe(201);
  const limited = await at.call(shop, "/carts", lines(["rose", 1]));
  expect([limited.status, limited.body.code]).toEqual([429, "rate_limited"]);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await at.get(shop, made.body.id)).status).toBe(200);
  clock.advance(60_000);
  expect(told(await at.complete(shop, made.body.id))).toEqual([200, "completed"]);
});

test.skipIf(!schemasThere)(
  "the requests of these tests match UCP's annotated schemas",
  ({ task }) => {
    const schema = "shopping/fulfillment.json#/$defs/dev.ucp.shopping.checkout";
    const update = { ...ROSE, fulfillment: { methods: [{ ...MOVED, line_item_ids: ["li_1"] }] } };
    expect(requestFaults(schema, "create", ROSE)).toEqual([]);
    expect(requestFaults(schema, "create", lines(["rose", 1]))).toEqual([]);
    expect(requestFaults(schema, "update", update)).toEqual([]);
    expect(requestFaults(schema, "complete", paying())).toEqual([]);
    // They bite: what an operation wants is wanted.
    expect(requestFaults(schema, "create", { buyer: BUYER })).not.toEqual([]);
    expect(requestFaults(schema, "complete", {})).not.toEqual([]);
    Object.assign(task.meta, { outside: 4 });
  },
);

const MOVED = {
  id: "shipping",
  selected_destination_id: "dest_1",
  groups: [{ id: "parcel", selected_option_id: "express" }],
};
