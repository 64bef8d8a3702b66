import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { ADDRESS, BUYER, lines, openWorld, sent, told, type World } from "../ucp/buying.ts";
import { isSigned, newPlatformKey, profileOf } from "../ucp/platform.ts";

const NOT_FOUND = [200, "error", "not_found"];

describe.each(TIER_DATABASES)("an order that its platform reads, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  let orderId: string;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    platform.profile = profileOf([platform.key.publicJwk]);
    shop = await at.shop();
    ({ orderId } = await at.bought(shop));
  });
  const profileOfShop = async () =>
    (await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`)).json();

  test("is shown completely with lines, destination, totals and terms, signed, and not cached", async () => {
    const made = await at.ready(shop, {
      ...lines(["rose", 2], ["vase", 1]),
      buyer: BUYER,
      ...sent("express"),
    });
    const done = await at.complete(shop, made.id);
    const answer = await at.readOrder(shop, done.body.order.id);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(await isSigned(await profileOfShop(), answer, clock.now())).toBe(true);
    const { body } = answer;
    expect(body).toMatchObject({
      id: done.body.order.id,
      checkout_id: made.id,
      currency: "EUR",
      permalink_url: done.body.order.permalink_url,
      totals: done.body.totals,
      policies: done.body.policies,
    });
    expect(Object.keys(body.ucp.capabilities)).toEqual(["dev.ucp.shopping.order"]);
    expect(body.line_items).toEqual([
      {
        id: "li_1",
        item: { id: "rose", title: "A rose", price: 10_000 },
        quantity: { original: 2, total: 2, fulfilled: 0 },
        status: "processing",
        totals: [
          { type: "subtotal", amount: 20_000 },
          { type: "total", amount: 20_000 },
        ],
      },
      expect.objectContaining({ id: "li_2", quantity: { original: 1, total: 1, fulfilled: 0 } }),
    ]);
    expect(body.fulfillment).toEqual({
      expectations: [
        {
          id: "exp_1",
          method_type: "shipping",
          destination: ADDRESS,
          description: "By courier",
          line_items: [
            { id: "li_1", quantity: 2 },
            { id: "li_2", quantity: 1 },
          ],
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain(BUYER.email);
  });

  test("needs a signature with a time, whatever the owner waives", async () => {
    expect((await at.readOrder(shop, orderId)).status).toBe(200);
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    const unsigned = await at.readOrder(shop, orderId, { sign: false });
    expect([unsigned.status, unsigned.body.code]).toEqual([401, "signature_missing"]);
    const undated = await at.readOrder(shop, orderId, { undated: true });
    expect([undated.status, undated.body.code]).toEqual([401, "signature_invalid"]);
    const signer = newPlatformKey("stranger");
    const stranger = await at.readOrder(shop, orderId, { signer });
    expect([stranger.status, stranger.body.code]).toEqual([401, "key_not_found"]);
    const old = await at.readOrder(shop, orderId, { created: clock.now() - 3_600_000 });
    expect([old.status, old.body.code]).toEqual([401, "signature_invalid"]);
  });

  test("is not shown to another platform, by another shop, or by another id", async () => {
    const other = { profile: platform.profileUrl("another") };
    expect(told(await at.readOrder(shop, orderId, other))).toEqual(NOT_FOUND);
    expect(told(await at.readOrder(await at.shop(), orderId))).toEqual(NOT_FOUND);
    expect(told(await at.readOrder(shop, "ord_unknown"))).toEqual(NOT_FOUND);
    expect(told(await at.readOrder(shop, "x".repeat(200)))).toEqual(NOT_FOUND);
  });

  test("from a mandate belongs to no platform", async () => {
    const buyer = await at.buyer(shop);
    expect((await at.order(shop, buyer)).status).toBe(200);
    const all: { order_id: string; checkout_id: string | null }[] = await at.orders(shop);
    const mandated = all.find(({ checkout_id }) => checkout_id === null);
    expect([all.length, mandated?.order_id]).toEqual([2, expect.stringMatching(/^ord_/)]);
    expect(told(await at.readOrder(shop, mandated?.order_id ?? ""))).toEqual(NOT_FOUND);
  });

  test("made without a signature can be read with one", async () => {
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    const free = { ...lines(["vase", 1]), buyer: BUYER };
    const made = await at.create(shop, free, { sign: false });
    const done = await at.complete(shop, made.body.id, undefined, { sign: false });
    const read = await at.readOrder(shop, done.body.order.id);
    expect([read.body.id, read.body.fulfillment]).toEqual([done.body.order.id, {}]);
  });

  test("is available while the shop is closed, and while its domain is not verified", async () => {
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: false, settles: true });
    expect((await at.create(shop)).body.messages[0].code).toBe("capabilities_incompatible");
    expect((await at.readOrder(shop, orderId)).body.id).toBe(orderId);
    // Somebody proves the domain for another site: this one is nobody's now.
    const { domain } = (await shop.admin("GET", "")).body;
    const taken = await server.admin("POST", "/v1/admin/sites", { domain, name: "Taken" });
    const path = `/v1/admin/sites/${taken.body.site_key_hash}/verify`;
    await server.admin("POST", path, { method: "operator", reason: "a test" });
    expect((await at.get(shop, "chk_1")).status).toBe(404);
    expect((await at.readOrder(shop, orderId)).body.id).toBe(orderId);
  });

  test("needs the capability in the platform's profile", async () => {
    const names = ["dev.ucp.shopping.checkout"];
    platform.profile = profileOf([platform.key.publicJwk], names);
    clock.advance(61_000);
    expect(told(await at.readOrder(shop, orderId))).toEqual([
      200,
      "error",
      "capabilities_incompatible",
    ]);
  });

  test("is shown over MCP to a caller who signs the request, and to nobody else", async () => {
    const call = (sign: boolean) =>
      platform.call(
        `${server.url}/v1/mcp/${shop.site_key}`,
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "get_order",
            arguments: { meta: { "ucp-agent": { profile: platform.profileUrl() } }, id: orderId },
          },
        },
        {
          sign,
          created: clock.now(),
          headers: { accept: "application/json, text/event-stream" },
        },
      );
    const signed = await call(true);
    const read = signed.body.result.structuredContent;
    expect(read).toEqual((await at.readOrder(shop, orderId)).body);
    const refused = (await call(false)).body;
    expect(refused.error.data.error).toBe("signature_missing");
  });
});
