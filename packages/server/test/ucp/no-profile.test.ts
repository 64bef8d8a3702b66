import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { headingOf, PageBuyer } from "./buyer.ts";
import { lines, openWorld, type World } from "./buying.ts";
import { schemaFaults } from "./schemas.ts";

const PAID_OVER_MCP = {
  protocol_context: { protocol: "mcp", cart_total: "104.90", cart_currency: "EUR" },
};

describe.each(TIER_DATABASES)("an assistant without a profile, over MCP, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
  });

  const call = async (tool: string, args: JsonObject) => {
    const { result } = await at.callTool(shop, args, undefined, tool);
    return result.structuredContent;
  };
  const roses = (count: number) => ({ cart: lines(["rose", count]) });

  test("finds products", async () => {
    const catalog = { query: "rose", context: { language: "de" } };
    const { products } = await call("search_catalog", { catalog });
    expect(products.map(({ id }: { id: string }) => id)).toEqual(["rose"]);
    expect((await call("lookup_catalog", { catalog: { ids: ["rose"] } })).products).toHaveLength(1);
    expect((await call("get_product", { catalog: { id: "rose" } })).product.id).toBe("rose");
  });

  test.each<[string, JsonObject, string]>([
    [
      "search_catalog",
      { query: "flowers" },
      '`query` belongs in `catalog`: send {"catalog": {"query": …}}.',
    ],
    ["get_product", { id: "rose" }, '`id` belongs in `catalog`: send {"catalog": {"id": …}}.'],
    [
      "create_cart",
      { line_items: [] },
      '`line_items` belongs in `cart`: send {"cart": {"line_items": …}}.',
    ],
  ])("is told where an argument of %s belongs", async (tool, args, message) => {
    const { error } = await at.callTool(shop, args, undefined, tool);
    expect([error.code, error.data.content]).toEqual([-32_602, message]);
  });

  test("fills a cart, and its person orders and pays on the cart's page", async () => {
    const { id } = await call("create_cart", roses(2));
    const changed = await call("update_cart", { id, ...roses(1) });
    expect(schemaFaults("shopping/cart.json", changed)).toEqual([]);
    expect((await call("get_cart", { id })).totals).toEqual(changed.totals);
    const cart = new PageBuyer(server.url, changed.continue_url);
    expect(headingOf(await cart.look())).toBe("Your cart");
    const page = new PageBuyer(server.url, (await cart.press("go")).location);
    expect(headingOf(await page.pay(await page.order()))).toBe("Thank you for your order");
    const [order] = await at.orders(shop);
    expect(order).toMatchObject({ amount: { minor: 10_490 }, agent_id: "unsigned caller" });
    const shown = await shop.admin("GET", `/orders/${order.order_id}`);
    expect(shown.body).toMatchObject({ is_test: true, paid_by_person: true });
    const about = await shop.admin("GET", "/decisions?agent_id=unsigned%20caller");
    expect(about.body.items).toMatchObject([{ outcome: "approved", protocol: "ucp" }]);
    await expectBooksAgree(server.context, shop, { rose: 50 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("cancels its cart, whose page then sells nothing", async () => {
    const { id } = await call("create_cart", roses(1));
    expect((await call("cancel_cart", { id })).continue_url).toBeUndefined();
    expect((await call("get_cart", { id })).messages[0].code).toBe("not_found");
  });

  test.each<[string, string, JsonObject, RegExp]>([
    [
      "begin a checkout: the answer names create_cart",
      "create_checkout",
      { checkout: lines(["rose", 1]) },
      /^The call has no profile of a platform\..* use `create_cart`:/,
    ],
    [
      "read an order: the answer says that a mandate or a profile is missing",
      "get_order",
      { id: "ord_1" },
      /^The call has no mandate and no profile of a platform\. .*add `mandate`/,
    ],
    [
      "name a profile that is no address: the answer says what it must be",
      "create_checkout",
      { meta: { "ucp-agent": { profile: 7 } }, checkout: lines(["rose", 1]) },
      /^`meta\.ucp-agent\.profile` must be the https address of your profile\.$/,
    ],
  ])("cannot %s", async (_what, tool, args, message) => {
    const { error } = await at.callTool(shop, args, undefined, tool);
    expect([error.code, error.data]).toEqual([
      -32_001,
      { code: "invalid_profile_url", content: error.message, error: "invalid_profile_url" },
    ]);
    expect(error.message).toMatch(message);
  });

  test("and a platform do not see each other's carts", async () => {
    const meta = { "ucp-agent": { profile: platform.profileUrl() } };
    const own = await call("create_cart", roses(1));
    const theirs = await call("create_cart", { meta, ...roses(1) });
    const read = [
      await call("get_cart", { meta, id: own.id }),
      await call("get_cart", { id: theirs.id }),
    ];
    expect(read.map(({ messages }) => messages[0].code)).toEqual(["not_found", "not_found"]);
  });

  test("leaves a checkout that only its person can pay, not an agent that has found out its id", async () => {
    const { continue_url } = await call("create_cart", roses(1));
    const cart = new PageBuyer(server.url, continue_url);
    await cart.look();
    await cart.press("go");
    const rows = await server.context.db.all<{ site_key_hash: string; checkout_id: string }>(
      "SELECT site_key_hash, checkout_id FROM checkouts",
    );
    const own = rows.find(({ site_key_hash }) => site_key_hash === shop.site_key_hash);
    const id = own?.checkout_id ?? "";
    expect(id).toMatch(/^chk_/);
    const buyer = await at.buyer(shop);
    for (const profile of ["", undefined]) {
      const agent = profile === undefined ? {} : { "ucp-agent": { profile } };
      const args = { meta: { "idempotency-key": "1", ...agent }, id, checkout: {} } as JsonObject;
      const said = { skill: "complete_checkout", arguments: args };
      const signed = at.mandate(shop, buyer, { ...said, ...PAID_OVER_MCP });
      const mandate = await signMandate(signed, buyer.key.signer);
      const { result } = await at.callTool(shop, { ...args, mandate }, undefined, said.skill);
      expect(result.structuredContent).toMatchObject({ reason: "cart_invalid" });
      expect(JSON.stringify(result)).not.toContain("line_items");
    }
    expect(await at.orders(shop)).toEqual([]);
  });

  test("does not reach the cart of another by the same idempotency key", async () => {
    const args = { meta: { "idempotency-key": "1" }, ...roses(1) };
    const [first, second] = [await call("create_cart", args), await call("create_cart", args)];
    expect(first.id).not.toBe(second.id);
  });
});
