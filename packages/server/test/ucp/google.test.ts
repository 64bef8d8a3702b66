import type { JsonObject } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { MINUTE_MS } from "../../src/infra/time.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { type BuyOptions, openWorld, SHOP, told, type World } from "./buying.ts";
import { admit, byKey, byToken, makeCredential, tokenOf } from "./credentialed.ts";
import { isShopsNews } from "./platform.ts";

const HERE = "127.0.0.1";
const LINES = [{ item: { id: "rose" }, quantity: 1 }];
/** All that Google knows of the buyer at first. */
const ROUGHLY = {
  address_locality: "Berlin",
  address_region: "BE",
  postal_code: "10115",
  address_country: "DE",
};
const WHOLE = {
  ...ROUGHLY,
  id: "home",
  street_address: "Gartenstr. 1",
  first_name: "Ada",
  last_name: "Love",
};
const BUYER = { email: "ada@example.com", first_name: "Ada", last_name: "Love" };
/** The instrument of Google's wallet. */
const INSTRUMENT = {
  id: "pi_1",
  handler_id: "sandbox",
  type: "CARD",
  display: { brand: "visa", last_digits: "4242" },
  credential: { type: "PAYMENT_GATEWAY", token: "pm_card_visa" },
};

describe.each(TIER_DATABASES)("Google, connected to a shop on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(2 * MINUTE_MS);
    platform.news.length = 0;
    // Its profile names another address than the one it gave the owner.
    platform.speaks("2026-04-08", `http://${platform.host}/orders/of-the-profile`);
    shop = await at.shop();
    await shop.admin("PATCH", "", { ucp_version: "2026-04-08" });
    await shop.admin("PATCH", "/platform-settings", { platforms: "admitted" });
    await admit(shop, HERE);
    const set = await connect({
      preset: "google",
      webhook: { url: webhookUrl(), headers: { "X-Goog-Api-Key": "partner-secret" } },
    });
    expect([set.status, set.body.message]).toEqual([200, undefined]);
  });

  const connect = (body: object) => shop.admin("PATCH", `/platforms/${HERE}/connection`, body);
  const webhookUrl = () => `http://${platform.host}/orders/events?partner=7`;
  const profile = async () =>
    (await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`)).json();
  async function credentialOf(kind: string): Promise<BuyOptions> {
    if (kind === "an API key") {
      return byKey((await makeCredential(shop, HERE, "api_key")).secret);
    }
    const client = await makeCredential(shop, HERE, "oauth_client");
    return byToken(await tokenOf(server, shop, client));
  }
  const shipped = (destination: JsonObject, option: string | null, lineIds: unknown) => ({
    methods: [
      {
        type: "shipping",
        destinations: [destination],
        groups: [
          { line_item_ids: lineIds, options: [{ id: "standard" }], selected_option_id: option },
        ],
      },
    ],
  });

  test.each(["an API key", "OAuth"])(
    "buys by native checkout with %s, and hears of the order in its own form",
    async (kind) => {
      const options = await credentialOf(kind);
      const made = await at.create(
        shop,
        { line_items: LINES, fulfillment: shipped({ ...ROUGHLY, id: "home" }, null, []) },
        options,
      );
      // Estimates from the region alone, and Google's names for what is missing.
      expect(made.body.ucp.version).toBe("2026-04-08");
      expect(told(made)).toEqual([
        201,
        "incomplete",
        "missing_buyer_info",
        "missing_buyer_info",
        "missing_buyer_info",
      ]);
      const [group] = made.body.fulfillment.methods[0].groups;
      expect(group.options.map(({ id }: JsonObject) => id)).toEqual(["standard", "express"]);
      expect(made.body.links.map(({ type }: JsonObject) => type)).toContain("terms_of_service");
      const update = {
        line_items: LINES,
        buyer: BUYER,
        signals: {},
        fulfillment: shipped(WHOLE, "standard", group.line_item_ids),
      };
      const ready = await at.update(shop, made.body.id, update, options);
      expect(told(ready)).toEqual([200, "ready_for_complete"]);
      const completion = { payment: { instruments: [INSTRUMENT] }, signals: {} };
      const done = await at.complete(shop, made.body.id, completion, options);
      expect(told(done)).toEqual([200, "completed"]);
      const sold = clock.now();
      clock.advance(1500);
      await deliverMessages(server.context);
      const [news, more] = platform.news;
      expect(more).toBeUndefined();
      if (news === undefined) throw new Error("nothing was sent");
      expect(news.url).toBe(webhookUrl());
      expect(news.headers).toMatchObject({
        "x-goog-api-key": "partner-secret",
        "webhook-timestamp": new Date(sold).toISOString().replace(/\.\d+Z/, "Z"),
        "webhook-id": done.body.order.id,
      });
      expect(await isShopsNews(await profile(), news)).toBe(true);
      const moved = { ...news, url: news.url.replace("partner=7", "partner=8") };
      expect(await isShopsNews(await profile(), moved)).toBe(false);
      const { id, currency, ucp } = JSON.parse(news.body);
      expect([id, currency, ucp.version]).toEqual([done.body.order.id, "EUR", "2026-04-08"]);
    },
  );

  test("reads in the feed which products it can sell", async () => {
    const add = (id: string, fields: object) =>
      shop.admin("POST", "/products", { id, title: id, price: "5.00", currency: "EUR", ...fields });
    await add("later", { availability: "preorder" });
    await add("again", { availability: "backorder", quantity: 3 });
    /** Whether each product is in stock, and whether Google may sell it. */
    const read = async (condition: string) => {
      await shop.admin("PATCH", "", { published_feeds: { formats: ["google"], condition } });
      const feed = await fetch(`${server.url}/v1/feeds/${shop.site_key_hash}/google.xml`);
      const items = (await feed.text()).split("<item>").slice(1);
      const buyable =
        "<g:native_commerce><g:checkout_eligibility>true</g:checkout_eligibility></g:native_commerce>";
      const products = items.map((item) => [
        /<g:id>(.*?)</.exec(item)?.[1],
        /<g:availability>(.*?)</.exec(item)?.[1],
        item.includes(buyable),
      ]);
      const shown = products.filter(([id]) => ["again", "gone", "later", "rose"].includes(`${id}`));
      return { etag: feed.headers.get("etag"), products: shown };
    };
    const out = [
      ["again", "out_of_stock", false],
      ["gone", "out_of_stock", false],
      ["later", "out_of_stock", false],
    ];
    const open = await read("new");
    expect(open.products).toEqual([...out, ["rose", "in_stock", true]]);
    expect((await read("used")).products).toEqual([...out, ["rose", "in_stock", false]]);
    // Rules that let agents buy in no checkout.
    const rule = { id: "sell", effect: "allow", when: { skill: { eq: "place_order" } } };
    const rules = { policy: "rules/1", timezone: "UTC", default: "deny", rules: [rule] };
    expect((await shop.admin("PUT", "/policy", rules)).status).toBe(200);
    const closed = await read("new");
    expect(closed.products).toEqual([...out, ["rose", "in_stock", false]]);
    expect(closed.etag).not.toBe(open.etag);
  });

  test("sends a buyer to the shop's own cart with one call, without a checkout", async () => {
    const options = await credentialOf("an API key");
    const link = "https://shop.example.com/cart/{items}";
    await shop.admin("PUT", "/shop", { ...SHOP, cart_link: link });
    const cart = await at.call(shop, "/carts", { line_items: LINES }, options);
    const { continue_url, expires_at, currency, line_items, totals } = cart.body;
    expect([cart.status, currency, line_items.length]).toEqual([201, "EUR", 1]);
    expect([typeof expires_at, totals.length > 0]).toEqual(["string", true]);
    expect(continue_url).toBe("https://shop.example.com/cart/rose:1");
  });

  test("hears of shipments and refunds by the ids of those events", async () => {
    const options = await credentialOf("an API key");
    const body = { line_items: LINES, buyer: BUYER, fulfillment: shipped(WHOLE, "standard", []) };
    const { id } = (await at.create(shop, body, options)).body;
    const payment = { instruments: [INSTRUMENT] };
    const orderId = (await at.complete(shop, id, { payment }, options)).body.order.id;
    clock.advance(1000);
    await shop.admin("POST", `/orders/${orderId}/ship`, { carrier: "DHL", tracking_number: "1" });
    await deliverMessages(server.context);
    await deliverMessages(server.context);
    const ids = platform.news.map(({ headers }) => headers["webhook-id"]);
    const { fulfillment } = JSON.parse(platform.news.at(-1)?.body ?? "");
    expect(ids).toEqual([orderId, fulfillment.events[0].id]);
    const keys = platform.news.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(2);
  });

  test("is refused a completion with changed totals, and gets refusals under codes of its list", async () => {
    const options = await credentialOf("an API key");
    const body = { line_items: LINES, buyer: BUYER, fulfillment: shipped(WHOLE, "standard", []) };
    const { id } = (await at.create(shop, body, options)).body;
    const dearer = { id: "rose", title: "A rose", price: "120.00", currency: "EUR", quantity: 50 };
    await shop.admin("PUT", "/products", { products: [dearer] });
    const completion = { payment: { instruments: [INSTRUMENT] } };
    const changed = await at.complete(shop, id, completion, options);
    expect(changed.body.messages).toEqual([
      {
        type: "error",
        code: "totals_changed",
        severity: "recoverable",
        content: expect.any(String),
      },
    ]);
    const none = await at.create(
      shop,
      { ...body, line_items: [{ item: { id: "none" }, quantity: 1 }] },
      options,
    );
    expect(told(none)).toEqual([200, "error", "item_unavailable"]);
    // Others, and the same platform without the preset, get UCP's own codes.
    await connect({ preset: "ucp" });
    const plain = await at.create(shop, { line_items: LINES }, options);
    expect(told(plain).slice(2)).toEqual(["field_required", "field_required"]);
  });

  test("gets its secret header at its own address only", async () => {
    const options = await credentialOf("an API key");
    const body = { line_items: LINES, buyer: BUYER, fulfillment: shipped(WHOLE, "standard", []) };
    const { id } = (await at.create(shop, body, options)).body;
    await at.complete(shop, id, { payment: { instruments: [INSTRUMENT] } }, options);
    // The message waits for the old address when the owner sets another one.
    await connect({ webhook: { url: `http://${platform.host}/orders/new` } });
    await deliverMessages(server.context);
    expect(platform.news[0]?.url).toBe(webhookUrl());
    expect(platform.news[0]?.headers["x-goog-api-key"]).toBeUndefined();
    const shown = await shop.admin("GET", `/platforms/${HERE}/connection`);
    expect(shown.body.webhook.headers).toEqual({});
  });

  test("is notified at the address of its profile if it proved nothing", async () => {
    await shop.admin("PUT", "/shop", { ...SHOP, allow_unsigned: true });
    await shop.admin("PATCH", "/platform-settings", { platforms: "any" });
    const body = { line_items: LINES, buyer: BUYER, fulfillment: shipped(WHOLE, "standard", []) };
    const { id } = (await at.create(shop, body, { sign: false })).body;
    const payment = { instruments: [INSTRUMENT] };
    expect(told(await at.complete(shop, id, { payment }, { sign: false }))[1]).toBe("completed");
    await deliverMessages(server.context);
    expect(platform.news[0]?.url).toBe(`http://${platform.host}/orders/of-the-profile`);
    expect(platform.news[0]?.headers["x-goog-api-key"]).toBeUndefined();
  });
});
