import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { BUYER, lines, paying, sent, told } from "../ucp/buying.ts";
import type { Json } from "./shop-in-memory.ts";
import { emptySite, openShopWorld, productEntry, type ShopWorld } from "./shop-world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ROSE = { ...lines(["rose", 1]), buyer: BUYER, ...sent("parcel") };
const OTHER_SECRET = `whsec_${Buffer.alloc(32).toString("base64")}`;
const STATUS = { type: "status" };

describe.each(TIER_DATABASES)("a shop system at its limits, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, system } = {} as ShopWorld;
  let shop: Shop;
  beforeAll(async () => {
    const few = { GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "60" };
    const world = await openShopWorld(dialect, clock, few);
    ({ server, at, system } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60 * MINUTE_MS);
    system.reset();
  });

  const connect = () => system.connect(server, shop.site_key_hash);
  const status = async (signing = {}) =>
    (await system.send(server, "status", STATUS, signing)).status;
  const products = (message: object) =>
    system.send(server, "products", { type: "products", ...message });

  test("is answered while a neighbour at its address sends what is signed wrongly", async () => {
    shop = await emptySite(server, "bare.example.com");
    await connect();
    const { connectionId } = system;
    system.connectionId = "con_of_a_neighbour";
    while ((await status({ secret: OTHER_SECRET })) !== 429);
    system.connectionId = connectionId;
    expect(await status()).toBe(200);
    // Who knows the connection can make it wait, but not longer than that.
    while ((await status({ secret: OTHER_SECRET })) !== 429);
    expect(await status()).toBe(429);
    clock.advance(2 * MINUTE_MS);
    expect(await status()).toBe(200);
  });

  test("begins a full list once a minute after many, and finishes the one that it has begun", async () => {
    shop = await emptySite(server, "bare.example.com");
    await connect();
    const list = async (id: string, part: number, last: boolean) =>
      (await products({ sync: { id, part, last } })).status;
    for (let i = 0; i < 20; i++) expect(await list(`list-${i}`, 1, true)).toBe(200);
    expect(await list("list-20", 1, true)).toBe(429);
    expect(await list("list-19", 1, true)).toBe(200);
    expect((await products({ products: [productEntry("a", 1)] })).status).toBe(200);
    clock.advance(MINUTE_MS);
    expect(await list("long", 1, false)).toBe(200);
    for (const part of [2, 3, 4]) expect(await list("long", part, part === 4)).toBe(200);
    expect(await list("another", 1, true)).toBe(429);
  });

  test("is limited in how often it changes its description or has its domain verified", async () => {
    shop = await emptySite(server, "bare.example.com");
    await connect();
    const say = async (more: object) =>
      (await system.send(server, "status", { type: "status", ...more })).status;
    for (let i = 0; i < 30; i++) {
      expect([i, await say({ sells: i % 2 === 1, system: `Stand-in ${i}` })]).toEqual([i, 200]);
    }
    expect(await say({ sells: false })).toBe(429);
    expect(await say({ verify: true })).toBe(429);
    // What is known already costs nothing.
    expect(await say({ sells: true, system: "Stand-in 29" })).toBe(200);
    clock.advance(MINUTE_MS);
    expect(await say({ sells: false })).toBe(200);
  });

  test("leaves no more versions of products that are gone than a site can have", async () => {
    shop = await emptySite(server, "bare.example.com");
    await connect();
    const { db } = server.context;
    const most = 200_000;
    await db.run(
      `INSERT INTO shop_products (site_key_hash, product_id, version, sync_id, received_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most})
         SELECT CAST(? AS TEXT), 'gone-' || i, 1, NULL, 0 FROM n`,
      shop.site_key_hash,
    );
    const sql = "SELECT COUNT(*) AS n FROM shop_products WHERE site_key_hash = ?";
    const versions = async () => Number((await db.all<Json>(sql, shop.site_key_hash))[0].n);
    const gone = Array.from({ length: 500 }, (_, i) => ({ id: `never-${i}`, version: 2 }));
    expect((await products({ removed: gone })).status).toBe(200);
    expect(await versions()).toBe(most);
    // What the shop sells is not kept out.
    const sold = await products({ products: [productEntry("a", 2)] });
    expect([sold.body.stored, await versions()]).toEqual([1, most + 1]);
    clock.advance(DAY_MS);
    const whole = { sync: { id: "all", part: 1, last: true }, products: [productEntry("a", 3)] };
    expect((await products(whole)).status).toBe(200);
    expect(await versions()).toBe(1);
  });

  test("sells to those who order, however many strangers browse", async () => {
    shop = await at.shop({});
    await connect();
    const { id } = await at.ready(shop, ROSE);
    const quotes = server.context.shopQuestions;
    while (quotes.take(shop.site_key_hash, clock.now()) === 0);
    expect((await at.create(shop, lines(["vase", 3]))).status).toBe(503);
    // A cart is shown all the same, at the prices of the list of products.
    const cart = await at.call(shop, "/carts", lines(["vase", 3]));
    expect([cart.status, cart.body.messages?.[0].code]).toEqual([201, "shop_unavailable"]);
    const before = system.of("quote").length;
    // Nothing that was refused to a stranger is kept, and an order asks all the same.
    clock.advance(2 * MINUTE_MS);
    while (quotes.take(shop.site_key_hash, clock.now()) === 0);
    const done = await at.complete(shop, id);
    expect(told(done)).toEqual([200, "completed"]);
    expect(system.of("quote").length).toBe(before + 1);
  });

  test("gets no second refund for an event that it repeats after it was connected anew", async () => {
    shop = await at.shop({});
    await connect();
    const { orderId } = await at.bought(shop, ROSE, paying());
    const change = async (event_id: string, fields: object) => {
      const message = { type: "order.change", event_id, order_id: orderId, change: fields };
      return (await system.send(server, "orders", message)).body.state;
    };
    const refund = { kind: "refunded", amount_minor: 500 };
    expect(await change("1", { kind: "captured" })).toBe("done");
    expect(await change("2", refund)).toBe("done");
    await connect();
    for (const [id, fields] of [
      ["1", { kind: "captured" }],
      ["2", refund],
      ["2", refund],
      ["3", { kind: "sent", lines: null, capture: true }],
      ["3", { kind: "sent", lines: null, capture: true }],
    ] as const) {
      expect([id, await change(id, fields)]).toEqual([id, "done"]);
    }
    const order = (await shop.admin("GET", `/orders/${orderId}`)).body;
    expect([order.refunded_minor, order.events.length]).toEqual([500, 1]);
  });
});
