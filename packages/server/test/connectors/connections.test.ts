import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { setProductPicture } from "../../src/actions/pictures/set-picture.ts";
import { serviceActor } from "../../src/domain/audit/drafts.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import { send } from "../http-client.ts";
import type { Shop } from "../mandates/submitting.ts";
import { PNG } from "../pictures/sample-pictures.ts";
import { BUYER, lines, paying, sent } from "../ucp/buying.ts";
import { challengeOf, newVerifier } from "./shop-stand-in.ts";
import { emptySite, openShopWorld, productEntry, type ShopWorld } from "./shop-world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ROSE = { ...lines(["rose", 1]), buyer: BUYER, ...sent("parcel") };

/** The fields that a shop system may leave out of a product. */
const OPTIONAL_FIELDS = {
  description: { description: "Green" },
  image_url: { image_url: "https://shop.example.com/a.jpg" },
  url: { url: "https://shop.example.com/a" },
  availability: { availability: "backorder" },
  quantity: { quantity: 3 },
  sale: { sale_price: "8.00", sale_until: "2099-01-01T00:00:00Z" },
  brand: { brand: "Leaf" },
  gtin: { gtin: "4006381333931" },
  mpn: { mpn: "T-1" },
  sku: { sku: "TEA-1" },
  identifier_exists: { identifier_exists: false },
  category: { category: "Food > Tea" },
  additional_image_urls: { additional_image_urls: ["https://shop.example.com/b.jpg"] },
  item_group_id: { item_group_id: "teas" },
  options: { options: { Size: "Small" } },
};

const orderChange = (ids: object) => ({
  type: "order.change",
  event_id: "1",
  order_id: "ord_1",
  change: { kind: "delivered", lines: null },
  ...ids,
});

describe.each(TIER_DATABASES)("the connection of a shop system, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, system } = {} as ShopWorld;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openShopWorld(dialect, clock);
    ({ server, at, system } = world);
    return world.close;
  });
  beforeEach(() => {
    clock.advance(MINUTE_MS);
    system.reset();
  });

  const site = () => emptySite(server, system.domain);
  const newCode = async (to: Shop, body: object = {}): Promise<string> => {
    const made = await to.admin("POST", "/shop-connection/codes", body);
    expect(made.status).toBe(201);
    return made.body.code;
  };
  const productIds = async (to: Shop) => {
    const { body } = await to.admin("GET", "/products?limit=100");
    return body.items.map((one: { id: string; paused: boolean }) =>
      one.paused ? `-${one.id}` : one.id,
    );
  };

  const part = (id: string, number: number, last: boolean, ids: readonly string[]) =>
    system.send(server, "products", {
      type: "products",
      sync: { id, part: number, last },
      products: ids.map((one) => productEntry(one, 10)),
    });

  describe("made with a code", () => {
    beforeEach(async () => {
      shop = await site();
    });

    test("works once, and gives a secret, the site's keys and a token for visits", async () => {
      const made = await shop.admin("POST", "/shop-connection/codes", {});
      const pasted = Buffer.from(made.body.connect_code.slice("ghc_".length), "base64url");
      const { url, code } = JSON.parse(pasted.toString());
      expect([url, code]).toEqual([server.context.config.baseUrl, made.body.code]);
      const connected = await system.connectWith(server, code);
      expect(connected).toMatchObject({
        status: 201,
        body: {
          type: "connect.answer",
          connection_id: expect.stringMatching(/^con_/),
          secret: expect.stringMatching(/^whsec_/),
          site: { domain: system.domain, status: "verified", ...keysOf(shop) },
          edge_token: expect.stringMatching(/^ghe_/),
        },
      });
      expect((await system.connectWith(server, code)).status).toBe(401);
      expect((await shop.admin("GET", "/shop-connection")).body).toMatchObject({
        system: "Stand-in 1",
        sells: true,
        endpoint: `http://${system.domain}/connector`,
      });
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test("ends after ten minutes, with a newer code, and with the rights of its maker", async () => {
      const old = await newCode(shop);
      const newer = await newCode(shop);
      expect((await system.connectWith(server, old)).status).toBe(401);
      clock.advance(10 * MINUTE_MS);
      expect((await system.connectWith(server, newer)).status).toBe(401);
      const token = await server.admin("POST", "/v1/admin/tokens", {
        name: "owner",
        role: "owner",
        sites: [shop.site_key_hash],
      });
      const path = `/v1/admin/sites/${shop.site_key_hash}/shop-connection/codes`;
      const made = await server.admin("POST", path, {}, token.body.token);
      await server.admin("DELETE", `/v1/admin/tokens/${token.body.token_id}`);
      expect((await system.connectWith(server, made.body.code)).status).toBe(401);
    });

    test.each([
      ["an endpoint on another domain", { endpoint: "https://attacker.example/connector" }],
      ["an endpoint without HTTPS", { endpoint: "http://shop.example.com/connector" }],
      ["a cart link to another domain", { cart_link: "https://attacker.example/?p={items}" }],
      ["a cart link without goods", { cart_link: "https://shop.example.com/cart" }],
      ["a script as its cart link", { cart_link: "javascript:alert('{items}')" }],
    ])("refuses %s, and keeps the code", async (_what, wrong) => {
      const code = await newCode(shop);
      expect((await system.connectWith(server, code, wrong)).status).toBe(400);
      expect((await system.connectWith(server, code)).status).toBe(201);
    });

    test("takes a cart link only if it can be used without a discount code", async () => {
      const connect = async (path: string) => {
        const cart_link = `https://${system.domain}${path}`;
        return (await system.connectWith(server, await newCode(shop), { cart_link })).status;
      };
      expect(await connect("/?p={items}&code={coupon}")).toBe(201);
      expect(await connect("/?code={coupon}&p={items}")).toBe(400);
      expect(await connect("/{coupon}/?p={items}")).toBe(400);
    });

    test("gives nothing to somebody who has seen the code, but is not the shop", async () => {
      const code = await newCode(shop);
      const thief = { challenge: challengeOf(newVerifier()) };
      const refused = await system.connectWith(server, code, thief);
      expect(refused).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining("did not prove that it is connecting") },
      });
      system.stopProving = true;
      expect((await system.connectWith(server, code)).status).toBe(400);
      system.stopProving = false;
      expect((await system.connectWith(server, code)).status).toBe(201);
    });

    test("ends a code after five attempts", async () => {
      const code = await newCode(shop);
      const elsewhere = { endpoint: "https://attacker.example/connector" };
      for (let i = 0; i < 5; i++) {
        expect((await system.connectWith(server, code, elsewhere)).status).toBe(400);
      }
      expect((await system.connectWith(server, code)).status).toBe(401);
    });

    test("gives a code of a link only to the shop system that made the link, once", async () => {
      const verifier = newVerifier();
      const code = await newCode(shop, { challenge: challengeOf(verifier) });
      for (const wrong of [{}, { verifier: newVerifier() }, { verifier: challengeOf(verifier) }]) {
        expect((await system.connectWith(server, code, wrong)).status).toBe(401);
      }
      expect((await system.connectWith(server, code, { verifier })).status).toBe(201);
      expect((await system.connectWith(server, code, { verifier })).status).toBe(401);
      // A pasted code is not passed off as one of a link, whose challenge somebody has removed.
      const pasted = await newCode(shop);
      expect((await system.connectWith(server, pasted, { verifier })).status).toBe(401);
      const invalid = await shop.admin("POST", "/shop-connection/codes", { challenge: "short" });
      expect(invalid.status).toBe(400);
    });

    test("replaces the earlier one, whose secret and token stop working", async () => {
      const before = (await system.connectWith(server, await newCode(shop))).body;
      const visits = (token: string) =>
        send(`${server.url}/v1/edge/${shop.site_key_hash}/visits`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
          body: JSON.stringify({ visits: [] }),
        });
      expect((await visits(before.edge_token)).status).not.toBe(401);
      await system.connectWith(server, await newCode(shop));
      system.connectionId = before.connection_id;
      const late = await system.send(
        server,
        "status",
        { type: "status" },
        { secret: before.secret },
      );
      expect([late.status, (await visits(before.edge_token)).status]).toEqual([401, 401]);
    });

    test.each(["the shop", "the owner"])(
      "is ended by %s, and its products are paused until it is back",
      async (who) => {
        await system.connectWith(server, await newCode(shop));
        await system.send(server, "products", {
          type: "products",
          products: [productEntry("a", 1)],
        });
        const byHand = () =>
          shop.admin("POST", "/products", { id: "b", title: "B", price: "1.00", currency: "EUR" });
        expect(await byHand()).toMatchObject({ status: 409, body: { error: "conflict" } });
        if (who === "the owner") await shop.admin("DELETE", "/shop-connection");
        else await system.send(server, "status", { type: "status", disconnect: true });
        expect((await shop.admin("GET", "/shop-connection")).status).toBe(404);
        expect((await system.send(server, "status", { type: "status" })).status).toBe(401);
        expect((await byHand()).status).toBe(201);
        expect(await productIds(shop)).toEqual(["-a", "b"]);
        await system.connectWith(server, await newCode(shop));
        await system.send(server, "products", {
          type: "products",
          products: [productEntry("a", 1)],
        });
        expect(await productIds(shop)).toEqual(["a", "b"]);
      },
    );

    test("reports what is missing before agents can buy", async () => {
      await system.connectWith(server, await newCode(shop));
      const status = await system.send(server, "status", { type: "status", system: "Stand-in 2" });
      expect(status.body).toMatchObject({
        type: "status.answer",
        site: { status: "verified" },
        products: { listed: 0, paused: 0, synced_at: null, problem: null },
        selling: { open: false, problems: expect.arrayContaining(["Add a product."]) },
        messages: { waiting: 0, failed: 0 },
      });
      const shown = await shop.admin("GET", "/shop-connection");
      expect(shown.body.system).toBe("Stand-in 2");
    });

    test("of a website without a shop leaves the products to the owner", async () => {
      await system.connectWith(server, await newCode(shop), { sells: false });
      const added = await shop.admin("POST", "/products", {
        id: "a",
        title: "A",
        price: "1.00",
        currency: "EUR",
      });
      expect(added.status).toBe(201);
      await system.send(server, "status", { type: "status", sells: true });
      expect((await shop.admin("PATCH", "/products?id=a", { title: "B" })).status).toBe(409);
      const file = { productId: "a", file: PNG };
      const owner = serviceActor("a test");
      const picture = await setProductPicture(server.context, shop.site_key_hash, file, owner);
      expect(picture).toMatchObject({ ok: false, reason: "conflict" });
      // A shop that is switched off sells nothing, at nobody's price.
      await system.send(server, "status", { type: "status", sells: false });
      expect(await productIds(shop)).toEqual(["-a"]);
      await system.send(server, "status", { type: "status", sells: true });
      await part("back", 1, true, ["a"]);
      expect(await productIds(shop)).toEqual(["a"]);
      expect((await shop.admin("PATCH", "/products?id=a", { paused: true })).status).toBe(200);
    });
  });

  describe("with messages", () => {
    beforeEach(async () => {
      shop = await site();
      await system.connectWith(server, await newCode(shop));
    });

    test("accepts none that is unsigned, old, for another connection, or changed", async () => {
      const status = { type: "status" };
      const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
      const wrong = await system.send(server, "status", status, { secret });
      const old = await system.send(server, "status", status, {
        sentAt: clock.now() - 6 * MINUTE_MS,
      });
      system.connectionId = "con_other";
      const other = await system.send(server, "status", status);
      expect([wrong, old, other].map((one) => one.status)).toEqual([401, 401, 401]);
    });

    test.each([
      ["products", { type: "products", removed: [{ id: "a\0", version: 1 }] }],
      ["products", { type: "products", sync: { id: "\0", part: 1 } }],
      ["orders", orderChange({ order_id: "\0" })],
      ["orders", orderChange({ event_id: "\0" })],
    ] as const)("refuses ids that no database stores: %s %j", async (path, message) => {
      expect((await system.send(server, path, message)).status).toBe(400);
    });

    test("stores products by version, whatever their order, and says which are wrong", async () => {
      const first = await system.send(server, "products", {
        type: "products",
        products: [
          productEntry("a", 5, { quantity: 3 }),
          productEntry("b", 5),
          productEntry("wrong", 1, { price: "cheap" }),
          { ...productEntry("unversioned", 1), version: "1" },
          { ...productEntry("c", 1), unknown_to_us: true },
        ],
      });
      expect(first.body).toMatchObject({ stored: 3, ignored: 0, removed: 0 });
      expect(first.body.problems.map(({ id }: { id: string }) => id)).toEqual([
        "wrong",
        "unversioned",
      ]);
      const late = await system.send(server, "products", {
        type: "products",
        products: [productEntry("a", 4, { title: "Old" }), productEntry("b", 6, { title: "New" })],
        removed: [{ id: "c", version: 1 }],
      });
      expect(late.body).toMatchObject({ stored: 1, ignored: 2, removed: 0 });
      const gone = await system.send(server, "products", {
        type: "products",
        removed: [{ id: "c", version: 2 }],
      });
      expect(gone.body.removed).toBe(1);
      const back = await system.send(server, "products", {
        type: "products",
        products: [productEntry("c", 1)],
      });
      expect(back.body).toMatchObject({ stored: 0, ignored: 1 });
      const { body } = await shop.admin("GET", "/products?limit=100");
      expect(body.items.map(({ title }: { title: string }) => title)).toEqual(["Product a", "New"]);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test("stores no version that would keep out all later changes", async () => {
      const ahead = clock.now() + 24 * HOUR_MS;
      const wrong = [ahead + 1, Number.MAX_SAFE_INTEGER, -1, 1.5, "9".repeat(30), null];
      const { body } = await system.send(server, "products", {
        type: "products",
        products: [
          ...wrong.map((version, i) => productEntry(`wrong-${i}`, version as number)),
          productEntry("ahead", ahead),
        ],
        removed: [{ id: "gone", version: Number.MAX_SAFE_INTEGER }],
      });
      expect([body.stored, body.problems.length]).toEqual([1, wrong.length + 1]);
      expect(body.problems[0].problem).toContain("more than a day ahead");
      const unsafe = { type: "products", products: [productEntry("a", 2 ** 53)] };
      expect((await system.send(server, "products", unsafe)).status).toBe(400);
      expect(await productIds(shop)).toEqual(["ahead"]);
      // A clock that was put right is believed after a day at the latest.
      clock.advance(24 * HOUR_MS + 1);
      const later = [productEntry("ahead", clock.now(), { title: "Right" })];
      const right = await system.send(server, "products", { type: "products", products: later });
      expect(right.body.stored).toBe(1);
    });

    test.each(["a change", "a full list"])("empties the fields that %s leaves out", async (how) => {
      const isList = how === "a full list";
      let last = 0;
      const store = async (products: object[]) => {
        clock.advance(MINUTE_MS);
        const sync = isList ? { sync: { id: `list-${++last}`, part: 1, last: true } } : {};
        const { body } = await system.send(server, "products", {
          type: "products",
          products,
          ...sync,
        });
        expect(body.problems).toEqual([]);
        const { items } = (await shop.admin("GET", "/products?limit=100")).body;
        return items.map(({ id: _, changed_at: __, ...fields }: Record<string, unknown>) => fields);
      };
      const named = { title: "A tea" };
      const fields = Object.entries(OPTIONAL_FIELDS);
      const [plain] = await store([productEntry("a", 1, named)]);
      for (const [at, [name, value]] of fields.entries()) {
        const whole = productEntry("a", 2 * at + 2, { ...named, ...value });
        const [filled] = await store([whole]);
        expect([name, filled]).not.toEqual([name, plain]);
        const [emptied] = await store([productEntry("a", 2 * at + 3, named)]);
        expect([name, emptied]).toEqual([name, plain]);
      }
    });

    test("pauses what a full list leaves out, when all its parts have arrived", async () => {
      await part("one", 1, true, ["a", "b", "c", "d", "e"]);
      clock.advance(HOUR_MS);
      await part("two", 2, true, ["c"]);
      expect(await productIds(shop)).toEqual(["a", "b", "c", "d", "e"]);
      // Changed meanwhile, and not in the list.
      await system.send(server, "products", {
        type: "products",
        products: [productEntry("new", 1)],
      });
      await part("two", 1, false, ["a", "b"]);
      expect(await productIds(shop)).toEqual(["a", "b", "c", "-d", "-e", "new"]);
      await part("two", 1, false, ["a", "b"]);
      clock.advance(HOUR_MS);
      await part("three", 1, true, ["a", "b", "c", "d"]);
      expect(await productIds(shop)).toEqual(["a", "b", "c", "d", "-e", "-new"]);
      expect((await shop.admin("GET", "/shop-connection")).body.products).toMatchObject({
        listed: 4,
        problem: null,
      });
    });

    test("pauses nothing if a full list leaves out most, until the owner confirms it", async () => {
      await part("one", 1, true, ["a", "b", "c"]);
      clock.advance(HOUR_MS);
      await part("two", 1, true, []);
      expect(await productIds(shop)).toEqual(["a", "b", "c"]);
      const { products } = (await shop.admin("GET", "/shop-connection")).body;
      expect(products.problem).toContain("leaves out 3 products");
      expect((await shop.admin("POST", "/shop-connection/confirm-list")).body).toEqual({
        paused: 3,
      });
      expect(await productIds(shop)).toEqual(["-a", "-b", "-c"]);
      expect((await shop.admin("POST", "/shop-connection/confirm-list")).status).toBe(409);
    });
  });

  describe("with orders", () => {
    let orderId: string;
    beforeEach(async () => {
      shop = await at.shop({});
      await system.connect(server, shop.site_key_hash);
      ({ orderId } = await at.bought(shop, ROSE, paying()));
      await deliverMessages(server.context);
    });

    let events = 0;
    const change = (change: object, event_id = `event-${++events}`) =>
      system.send(server, "orders", { type: "order.change", event_id, order_id: orderId, change });
    const order = async () => (await shop.admin("GET", `/orders/${orderId}`)).body;

    test("sends and captures once, however often the event comes", async () => {
      const sentOut = {
        kind: "sent",
        lines: null,
        carrier: "DHL",
        tracking_number: "1",
        capture: true,
      };
      const first = await change(sentOut, "sent-1");
      expect(first.body).toMatchObject({ type: "order.change.answer", state: "done" });
      const again = await change(sentOut, "sent-1");
      expect(again.body).toEqual(first.body);
      expect((await change(sentOut)).body.state).toBe("done");
      const shown = await order();
      expect([shown.status, shown.payment]).toEqual(["shipped", "captured"]);
      expect(shown.events).toHaveLength(1);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test("captures less by what the shop refunded before, and refunds it if all is captured", async () => {
      const total = (await order()).amount.minor;
      const less = { kind: "sent", lines: null, capture: true, refunded_minor: 500 };
      await Promise.all([change(less, "less-1"), change(less, "less-1")]);
      expect((await change(less, "less-1")).body.state).toBe("done");
      expect((await change(less, "less-2")).body.state).toBe("done");
      expect(await order()).toMatchObject({ captured_minor: total - 500, refunded_minor: 0 });

      system.stock.rose = 5;
      ({ orderId } = await at.bought(shop, ROSE, paying()));
      await change({ kind: "captured" });
      for (const id of ["late-1", "late-1", "late-2"]) {
        expect((await change(less, id)).body.state).toBe("done");
      }
      expect(await order()).toMatchObject({ captured_minor: total, refunded_minor: 500 });

      ({ orderId } = await at.bought(shop, ROSE, paying()));
      const refused = await change({ ...less, refunded_minor: total });
      expect(refused.body).toMatchObject({
        state: "refused",
        problem: expect.stringContaining("Nothing is left to capture"),
      });
      expect((await order()).payment).toBe("authorized");
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test("refunds each event once, and the shop is told which refund was its own", async () => {
      await change({ kind: "captured" });
      const refund = { kind: "refunded", amount_minor: 500, reason: "Broken" };
      await Promise.all([change(refund, "refund-1"), change(refund, "refund-1")]);
      expect((await change(refund, "refund-1")).body.state).toBe("done");
      expect((await change(refund, "refund-2")).body.state).toBe("done");
      expect((await order()).refunded_minor).toBe(1000);
      const tooMuch = await change({ kind: "refunded", amount_minor: 99_999_999 });
      expect(tooMuch.body).toMatchObject({
        state: "refused",
        problem: expect.stringContaining("at most"),
      });
      await deliverMessages(server.context);
      const { refunds } = system.orders.get(orderId);
      expect(refunds.map((one: { origin_event_id: string }) => one.origin_event_id).sort()).toEqual(
        ["refund-1", "refund-2"],
      );
    });

    test("captures the taxes of what is left after a part was cancelled", async () => {
      system.stock.rose = 5;
      const two = { ...ROSE, ...lines(["rose", 2]) };
      ({ orderId } = await at.bought(shop, two, paying()));
      // 200.00 and 4.90, and 19 % of both.
      expect((await order()).amount.minor).toBe(24_383);
      const one = { line_items: [{ id: "li_1", quantity: 1 }] };
      await shop.admin("POST", `/orders/${orderId}/cancel`, one);
      await change({ kind: "sent", lines: null, capture: true });
      const { captured_minor } = await order();
      expect(Math.abs(captured_minor - (10_490 * 119) / 100)).toBeLessThanOrEqual(50);
    });

    test("cancels and voids without touching the stock, which the shop sends itself", async () => {
      const before = (await at.product(shop, "rose")).quantity;
      const cancelled = await change({ kind: "cancelled", lines: null, reason: "Sold out" });
      expect(cancelled.body.state).toBe("done");
      expect([(await order()).status, (await order()).payment]).toEqual(["cancelled", "released"]);
      expect((await at.product(shop, "rose")).quantity).toBe(before);
      expect((await change({ kind: "cancelled", lines: null })).body.state).toBe("done");
      expect((await change({ kind: "captured" })).body.state).toBe("refused");
    });

    test("refuses what cannot be, and answers it the same again", async () => {
      const wrong = { kind: "sent", lines: [{ line_id: "li_9", quantity: 1 }] };
      const refused = await change(wrong, "wrong");
      expect(refused.body).toMatchObject({
        state: "refused",
        problem: expect.stringContaining("li_9"),
      });
      expect((await change(wrong, "wrong")).body).toEqual(refused.body);
      const other = await change({ kind: "captured" }, "wrong");
      expect([other.status, (await order()).payment]).toEqual([400, "authorized"]);
      orderId = "ord_unknown";
      expect((await change({ kind: "captured" })).status).toBe(404);
    });

    test("changes no order of another site, and none from before the connection", async () => {
      const other = await at.shop({});
      const { orderId: foreign } = await at.bought(other);
      orderId = foreign;
      expect((await change({ kind: "cancelled", lines: null })).status).toBe(404);
    });
  });
});

const keysOf = ({ site_key, site_key_hash }: Shop) => ({ site_key, site_key_hash });
