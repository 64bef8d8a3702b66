import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { endTests } from "../../src/actions/test-purchases/end-tests.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { newKey } from "../agents/registering.ts";
import { cleanUp, NOON, TIER_DATABASES } from "../harness.ts";
import { send } from "../http-client.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { type Market, ORDER_POLICY, openMarket } from "./selling.ts";

/** So long a decided test is shown to its agent. */
const SHOWN_MS = 20_000;
const TEN_MINUTES_MS = 600_000;
const RULES = ORDER_POLICY as never as JsonObject;
const NEVER: JsonObject = {
  ...RULES,
  rules: [{ id: "never", effect: "deny", when: { skill: { eq: "place_order" } } }],
};

describe.each(TIER_DATABASES)("a test purchase, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let market: Pick<Market, "server" | "at">;
  beforeAll(async () => {
    market = await openMarket(dialect, clock);
    return cleanUp;
  });

  /** A shop without products, as it is while its owner sets it up, and a test agent there. */
  async function begin(rules = RULES) {
    const { at } = market;
    const shop = await at.shop(rules);
    await shop.admin("PUT", "/products", { products: [] });
    return { shop, ...(await startTest(shop)) };
  }

  async function startTest(shop: Shop) {
    const key = await newKey();
    const { status, body } = await shop.admin("POST", "/test-purchases", { jwk: key.jwk });
    expect(status).toBe(201);
    const buyer: Buyer = { agentId: body.agent_id, key };
    const items = [{ id: body.product_id as string, quantity: 1 }];
    return { buyer, itemId: body.product_id as string, cart: { items, ...body.cart } };
  }

  const statusOf = async (shop: Shop, { agentId }: Buyer) =>
    (await shop.admin("GET", `/agents/${agentId}`)).body.status;
  const run = () => endTests(market.server.context);
  const rows = (shop: Shop) =>
    market.server.context.db.all(
      "SELECT product_id FROM products WHERE site_key_hash = ?",
      shop.site_key_hash,
    );

  test("needs review, is approved, and ends without anybody watching", async () => {
    const { at } = market;
    const { shop, buyer, cart } = await begin();
    expect(cart).toMatchObject({ total: "1000.00", currency: "EUR" });
    const mandate = await at.signed(shop, buyer, cart);
    const asked = (await at.send(shop, mandate)).body;
    expect(asked.outcome).toBe("escalated");
    clock.advance(TEN_MINUTES_MS);
    await run();
    expect(await statusOf(shop, buyer)).toBe("active");
    const review = `/escalations/${asked.escalation_id}`;
    expect((await shop.admin("POST", `${review}/approve`, {})).status).toBe(200);
    expect(await at.orders(shop)).toMatchObject([{ status: "open", payment: "authorized" }]);
    const counts = async () => (await shop.admin("GET", "/orders/counts")).body;
    const sold = await counts();
    expect([sold.total.orders, sold.is_test, sold.products]).toEqual([1, true, []]);
    await run();
    // The agent can still ask what was decided.
    expect((await at.send(shop, mandate)).body.outcome).toBe("approved");
    clock.advance(SHOWN_MS + 1);
    await run();
    expect(await statusOf(shop, buyer)).toBe("revoked");
    expect(await rows(shop)).toEqual([]);
    // Nothing is left to send or to capture.
    expect(await at.orders(shop)).toMatchObject([{ status: "cancelled", payment: "released" }]);
    expect((await counts()).total.orders).toBe(0);
  });

  test("ends when it is declined, and when its agent never asks", async () => {
    const { at } = market;
    const denied = await begin(NEVER);
    const answer = await at.order(denied.shop, denied.buyer, denied.cart);
    expect(answer.body.outcome).toBe("rejected");
    clock.advance(SHOWN_MS + 1);
    const silent = await startTest(denied.shop);
    await run();
    expect(await statusOf(denied.shop, denied.buyer)).toBe("revoked");
    expect(await statusOf(denied.shop, silent.buyer)).toBe("active");
    clock.advance(TEN_MINUTES_MS + 1);
    await run();
    expect(await statusOf(denied.shop, silent.buyer)).toBe("revoked");
    expect(await rows(denied.shop)).toEqual([]);
  });

  test("has an item that nobody else finds, buys, changes or removes", async () => {
    const { at, server } = market;
    const { shop, itemId, buyer, cart } = await begin();
    const { body: listed } = await shop.admin("GET", "/products");
    expect(listed.items).toEqual([]);
    const products = [{ id: "rose", title: "A rose", price: "10.00", currency: "EUR" }];
    // Everything that the list does not name is removed, but no test item.
    await shop.admin("PUT", "/products", { products });
    expect(await rows(shop)).toHaveLength(2);
    const path = `/products?id=${itemId}`;
    expect((await shop.admin("PATCH", path, { paused: false })).status).toBe(404);
    expect((await shop.admin("DELETE", path)).status).toBe(404);
    const searched = await at.call(shop, { catalog: { query: "test item" } }, {}, "search_catalog");
    const looked = await at.call(shop, { catalog: { ids: [itemId] } }, {}, "lookup_catalog");
    const quoted = await at.call(shop, { items: [{ id: itemId, quantity: 1 }] });
    for (const answer of [searched, looked]) {
      expect(JSON.stringify(answer)).not.toContain("Test item");
    }
    expect(JSON.stringify(quoted)).toContain("does not sell this product");
    for (const page of ["agent", "agents"]) {
      const address = `${server.url}/v1/${page}/${shop.site_key_hash}${page === "agents" ? ".md" : ""}`;
      const text = (await send(address)).body;
      expect(text).toContain("A rose");
      expect(text).not.toContain("Test item");
    }
    const other = await at.buyer(shop);
    const stolen = await at.order(shop, other, cart);
    expect([stolen.body.outcome, stolen.body.reason]).toEqual(["rejected", "cart_invalid"]);
    expect((await at.order(shop, buyer, cart)).body.outcome).toBe("escalated");
  });

  test("turns on what it needs, and leaves the rest of the owner's actions alone", async () => {
    const { at } = market;
    const shop = await at.shop();
    const skills = [{ id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" }];
    await shop.admin("PUT", "/skills", { skills });
    await shop.admin("PATCH", "/mandates", { enabled: false });
    const selling = async () => {
      const { body } = await shop.admin("GET", "/processor");
      const { items } = (await shop.admin("GET", "/install-check")).body;
      const { found } = items.find(({ item }: JsonObject) => item === "selling");
      return { offered: body.offered, missing: body.missing, found };
    };
    const before = await selling();
    expect(before).toMatchObject({
      offered: [],
      missing: [{ name: "mandates" }],
      found: "Agents cannot buy yet.",
    });
    const { cart, buyer } = await startTest(shop);
    // What is on for the test is on for nobody else.
    expect(await selling()).toEqual(before);
    expect((await at.order(shop, buyer, cart)).body.outcome).toBe("escalated");
    const offered = async () => (await shop.admin("GET", "/skills")).body.skills;
    expect((await offered())[0]).toMatchObject({ ...skills[0] });
    // What was off is off again when the last test is over, and not before.
    const silent = await startTest(shop);
    clock.advance(SHOWN_MS + 1);
    const isOn = async () => [
      (await offered()).some((one: JsonObject) => one.id === "place_order" && one.enabled),
      (await shop.admin("GET", "/mandates")).body.enabled,
    ];
    const [waiting] = (await shop.admin("GET", "/escalations")).body.items;
    await shop.admin("POST", `/escalations/${waiting.escalation_id}/deny`, {
      reason_code: "other",
    });
    clock.advance(SHOWN_MS + 1);
    await run();
    expect([await statusOf(shop, buyer), await isOn()]).toEqual(["revoked", [true, true]]);
    clock.advance(TEN_MINUTES_MS + 1);
    await run();
    expect([await statusOf(shop, silent.buyer), await isOn()]).toEqual(["revoked", [false, false]]);
    expect((await offered())[0]).toMatchObject({ ...skills[0] });
  });

  test("leaves an order that the owner has captured as it is", async () => {
    const { at } = market;
    const { shop, buyer, cart } = await begin({
      ...RULES,
      rules: [{ id: "all", effect: "allow", when: { skill: { eq: "place_order" } } }],
    });
    expect((await at.order(shop, buyer, cart)).body.outcome).toBe("approved");
    const [{ order_id, revision }] = await at.orders(shop);
    const captured = await shop.admin("POST", `/orders/${order_id}/capture`, { revision });
    expect(captured.status).toBe(200);
    clock.advance(SHOWN_MS + 1);
    await run();
    expect(await statusOf(shop, buyer)).toBe("revoked");
    expect(await at.orders(shop)).toMatchObject([{ status: "open", payment: "captured" }]);
  });

  test("cannot start before the shop could sell, or by anybody but an owner", async () => {
    const { at, server } = market;
    const shop = await at.shop();
    const { jwk } = await newKey();
    const start = () => shop.admin("POST", "/test-purchases", { jwk });
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: false, settles: true });
    const shut = await start();
    expect([shut.status, shut.body.message]).toEqual([
      409,
      "Let agents pay through the payment provider.",
    ]);
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
    await shop.admin("POST", "/pause", {});
    expect((await start()).body.message).toBe("Sales are paused. Resume them first.");
    const { token } = (
      await server.admin("POST", "/v1/admin/tokens", {
        role: "reviewer",
        name: "a",
        sites: [shop.site_key_hash],
      })
    ).body;
    const path = `/v1/admin/sites/${shop.site_key_hash}/test-purchases`;
    expect((await server.admin("POST", path, { jwk }, token)).status).toBe(403);
  });

  test("is signed by its own agent only", async () => {
    const { at } = market;
    const { shop, buyer, cart } = await begin();
    const { key } = await at.buyer(shop);
    const fields = { skill: "place_order", arguments: { items: cart.items } };
    const forged = await signMandate(at.mandate(shop, buyer, fields), key.signer);
    expect((await at.send(shop, forged)).status).not.toBe(200);
  });
});
