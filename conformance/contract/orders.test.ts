import { beforeEach, describe, expect, test } from "vitest";
import type { Received } from "../../packages/server/test/notifications/receiver.ts";
import { isShopsNews } from "../../packages/server/test/ucp/platform.ts";
import { schemaFaults } from "../../packages/server/test/ucp/schemas.ts";
import { ask } from "./asking.ts";
import { A_CARD, A_PURCHASE, canBuy, newsAddress, openShop, platformAt } from "./buying.ts";
import { admin, type Shop } from "./mandating.ts";

const ORDER = "dev.ucp.shopping.order";

describe.skipIf(!canBuy())("orders of a platform:", () => {
  let shop: Shop;
  let news: ReturnType<typeof newsAddress>;
  let platform: Awaited<ReturnType<typeof platformAt>>;
  beforeEach(async () => {
    shop = await openShop();
    news = newsAddress();
    platform = await platformAt(shop, news.url);
  });

  async function bought(): Promise<string> {
    const made = await platform("/checkout-sessions", A_PURCHASE);
    const done = await platform(`/checkout-sessions/${made.body.id}/complete`, A_CARD);
    expect(done.body.status).toBe("completed");
    return done.body.order.id;
  }
  const change = (orderId: string, verb: string, body: object) =>
    admin(shop, "POST", `/orders/${orderId}/${verb}`, body);
  /** What was told of one order, once so much of it was. */
  async function toldOf(orderId: string, count: number): Promise<readonly Received[]> {
    for (let awaited = count; ; awaited++) {
      const all = await news.heard(awaited);
      const own = all.filter(({ body }) => JSON.parse(body).id === orderId);
      if (own.length >= count) return own;
    }
  }
  const lastOf = async (orderId: string, count: number) =>
    JSON.parse((await toldOf(orderId, count)).at(-1)?.body ?? "null");

  test("[1.8-p] the profile lists orders and webhooks, and an order can be read", async () => {
    const profile = await ask("GET", `/v1/ucp/${shop.site_key_hash}/profile`);
    expect(profile.body.ucp.capabilities[ORDER]).toMatchObject([{ version: "2026-08-25" }]);
    const orderId = await bought();
    const read = await platform(`/orders/${orderId}`, undefined, { method: "GET" });
    expect([read.status, schemaFaults("shopping/order.json", read.body)]).toEqual([200, []]);
    expect(read.body).toEqual(await lastOf(orderId, 1));
  });

  test("[1.7-d 6.3-c] each change of an order is posted to its platform, signed by the shop", async () => {
    const orderId = await bought();
    await change(orderId, "ship", { carrier: "DHL", tracking_number: "JD01" });
    const told = await toldOf(orderId, 2);
    const profile = await ask("GET", `/v1/ucp/${shop.site_key_hash}/profile`);
    for (const one of told) expect(await isShopsNews(profile.body, one)).toBe(true);
    const states = told.map(({ body }) => JSON.parse(body).line_items[0].status);
    expect(states).toEqual(["processing", "fulfilled"]);
    const forged = { ...(told[1] as Received), body: told[0]?.body ?? "" };
    expect(await isShopsNews(profile.body, forged)).toBe(false);
  });

  test("[6.3-a] a refund is reported to the platform", async () => {
    const orderId = await bought();
    await change(orderId, "rehearse", { event: "capture" });
    await change(orderId, "rehearse", { event: "refund", amount_minor: 500 });
    expect((await lastOf(orderId, 2)).adjustments).toMatchObject([
      { type: "refund", status: "completed", totals: [{ type: "total", amount: -500 }] },
    ]);
  });

  test("[6.3-b] a dispute and its outcome are reported to the platform", async () => {
    const orderId = await bought();
    await change(orderId, "rehearse", { event: "capture" });
    await change(orderId, "rehearse", { event: "dispute" });
    expect((await lastOf(orderId, 2)).adjustments).toMatchObject([
      { type: "dispute", status: "pending" },
    ]);
    await change(orderId, "rehearse", { event: "lose_dispute" });
    expect((await lastOf(orderId, 3)).adjustments).toMatchObject([
      { type: "dispute", status: "completed" },
    ]);
  });
});
