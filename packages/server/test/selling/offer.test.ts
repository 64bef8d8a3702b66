import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { answerOf, NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { BUYER, CHECKOUT_POLICY, lines, openWorld, sent, told, type World } from "../ucp/buying.ts";
import { NOTHING_SOLD, SHOP_TOOLS, surfaces } from "../ucp/surfaces.ts";
import { PRODUCTS } from "./selling.ts";

const rules = (...list: readonly object[]) => ({
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: list,
});
const READING = ["search_catalog", "lookup_catalog", "get_product"];

describe.each(TIER_DATABASES)("what a shop offers to agents, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
  });

  const missing = async () => {
    const { body } = await shop.admin("GET", "/processor");
    return body.missing.map(({ name }: { name: string }) => name);
  };
  const publish = (policy: object) => shop.admin("PUT", "/policy", policy);
  const tools = async () => {
    const answer = await fetch(`${server.url}/v1/mcp/${shop.site_key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const { result } = (await answerOf(answer)).body;
    return result.tools.map(({ name }: { name: string }) => name);
  };
  const version = async () => {
    const answer = await fetch(`${server.url}/v1/agent-card/${shop.site_key}.json`);
    return (await answerOf(answer)).body.version;
  };
  const ready = async () => {
    const made = await at.create(shop, { ...lines(["rose", 1]), buyer: BUYER, ...sent() });
    expect(told(made)).toEqual([201, "ready_for_complete"]);
    return made.body.id as string;
  };

  async function expectClosed(name: string) {
    expect(await missing()).toEqual([name]);
    expect(await surfaces(server, shop)).toEqual(NOTHING_SOLD);
    expect(await tools()).toEqual(["get_pricing"]);
    for (const begin of [
      at.create(shop, lines(["rose", 1])),
      at.call(shop, "/carts", lines(["rose", 1])),
    ]) {
      const { body } = await begin;
      expect(body.messages).toEqual([
        expect.objectContaining({
          code: "capabilities_incompatible",
          content: "This shop does not sell to agents at the moment.",
        }),
      ]);
    }
  }

  test("is nothing to buy before it has a product, and after its last one is gone", async () => {
    const before = await version();
    await shop.admin("PUT", "/products", { products: [] });
    await expectClosed("products");
    const empty = await version();
    expect(empty).not.toBe(before);
    await at.importLines(shop, [PRODUCTS[0] as object]);
    expect(await missing()).toEqual([]);
    expect((await surfaces(server, shop)).skills).toEqual(Array(4).fill(SHOP_TOOLS));
    expect(await version()).not.toBe(empty);
    await shop.admin("DELETE", "/products?id=rose");
    await expectClosed("products");
  });

  test("includes what is out of stock, because stock does not count", async () => {
    await shop.admin("PUT", "/products", { products: [{ ...PRODUCTS[0], quantity: 0 }] });
    expect(await missing()).toEqual([]);
    expect((await surfaces(server, shop)).checkout).toBe(true);
  });

  test("is nothing to buy while mandates are off", async () => {
    await shop.admin("PATCH", "/mandates", { enabled: false });
    await expectClosed("mandates");
    await shop.admin("PATCH", "/mandates", { enabled: true });
    expect((await surfaces(server, shop)).skills).toEqual(Array(4).fill(SHOP_TOOLS));
  });

  test("is nothing to buy while the rules reject every purchase", async () => {
    await publish(rules({ id: "look", effect: "allow", when: { skill: { eq: "get_pricing" } } }));
    await expectClosed("rules");
    const no = { id: "no", effect: "deny", when: { "cart.total": { gte: { EUR: "0" } } } };
    const denied = await publish({ ...CHECKOUT_POLICY, rules: [...CHECKOUT_POLICY.rules, no] });
    expect(denied.status).toBe(200);
    await expectClosed("rules");
    const early = { id: "early", effect: "deny", when: { "agent.age_days": { lt: 1 } } };
    await publish({ ...rules(early), default: "escalate" });
    expect((await surfaces(server, shop)).skills).toEqual(Array(4).fill(SHOP_TOOLS));
  });

  test("leaves out the skill that the rules reject, and keeps the other", async () => {
    await publish(rules({ id: "buy", effect: "allow", when: { skill: { eq: "place_order" } } }));
    expect(await tools()).toEqual(["get_pricing", "place_order", ...READING, "get_order"]);
    const { checkout, handlers, skills } = await surfaces(server, shop);
    expect([checkout, handlers, skills]).toEqual([false, [], Array(4).fill(READING)]);
    await publish(
      rules({ id: "pay", effect: "escalate", when: { skill: { eq: "complete_checkout" } } }),
    );
    expect(await tools()).toEqual(["get_pricing", ...SHOP_TOOLS, "get_order"]);
  });

  test("says in the site check how agents can buy", async () => {
    const sentence = async () => {
      const { items } = (await shop.admin("GET", "/install-check")).body;
      return items.find(({ item }: { item: string }) => item === "selling").found;
    };
    expect(await sentence()).toBe("Agents can buy.");
    await shop.admin("PUT", "/skills", { skills: [] });
    expect(await sentence()).toBe(
      "Agents can buy at checkout (UCP), but not with signed requests (mandates).",
    );
    await shop.admin("PUT", "/skills", { skills: [{ id: "place_order", enabled: true }] });
    await publish(rules({ id: "buy", effect: "allow", when: { skill: { eq: "place_order" } } }));
    expect(await sentence()).toBe(
      "Agents can buy with signed requests (mandates), but not at checkout (UCP).",
    );
  });

  test("is nothing to buy while the rules permit only place_order, and it is not switched on", async () => {
    await publish(rules({ id: "buy", effect: "allow", when: { skill: { eq: "place_order" } } }));
    const skills = (enabled: boolean) => [
      { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
      { id: "place_order", enabled },
    ];
    await shop.admin("PUT", "/skills", { skills: skills(false) });
    await expectClosed("skill");
    await shop.admin("PUT", "/skills", { skills: skills(true) });
    expect(await missing()).toEqual([]);
    expect(await tools()).toEqual(["get_pricing", "place_order", ...READING, "get_order"]);
  });

  test("may be nothing any more while a purchase that has begun is completed", async () => {
    const id = await ready();
    await shop.admin("PATCH", "/mandates", { enabled: false });
    expect(await surfaces(server, shop)).toMatchObject({ checkout: false });
    expect(told(await at.complete(shop, id))).toEqual([200, "completed"]);
    // Its first order can be asked about from now on.
    expect(await tools()).toEqual(["get_pricing", "get_order"]);
  });

  test("includes what was ordered, also after the shop sells nothing any more", async () => {
    await at.complete(shop, await ready());
    await shop.admin("DELETE", "/processor");
    expect(await tools()).toEqual(["get_pricing", "get_order"]);
    const answer = await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`);
    const { ucp } = (await answerOf(answer)).body;
    expect(Object.keys(ucp.capabilities)).toEqual(["dev.ucp.shopping.order"]);
    expect(ucp.payment_handlers).toEqual({});
  });
});
