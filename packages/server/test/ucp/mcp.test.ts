import { randomUUID } from "node:crypto";
import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import { send } from "../http-client.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { cart } from "../selling/selling.ts";
import { BUYER, lines, openWorld, paying, ROSE, type World } from "./buying.ts";
import { schemaFaults } from "./schemas.ts";

const SCHEMAS: Readonly<Record<string, string>> = {
  search_catalog: "shopping/catalog_search.json#/$defs/search_response",
  lookup_catalog: "shopping/catalog_lookup.json#/$defs/lookup_response",
  get_product: "shopping/catalog_lookup.json#/$defs/get_product_response",
  cart: "shopping/cart.json",
  checkout: "shopping/fulfillment.json#/$defs/dev.ucp.shopping.checkout",
};

describe.each(TIER_DATABASES)("a shop's UCP tools over MCP, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
    buyer = await at.buyer(shop);
  });

  const meta = (key?: string) => ({
    "ucp-agent": { profile: platform.profileUrl() },
    ...(key === undefined ? {} : { "idempotency-key": key }),
  });
  /** Calls a tool, and holds what it says against UCP's schemas. */
  async function use(tool: string, args: JsonObject = {}, key?: string) {
    const { result, error } = await at.callTool(
      shop,
      { meta: meta(key), ...args },
      undefined,
      tool,
    );
    if (error !== undefined) return { error };
    const { structuredContent: said } = result;
    expect(JSON.parse(result.content[0].text)).toEqual(said);
    if (said.ucp !== undefined) {
      const kind = tool.split("_")[1] ?? "";
      const bad = said.ucp.status === "error";
      const schema = bad ? "common/types/error_response.json" : (SCHEMAS[tool] ?? SCHEMAS[kind]);
      expect(schemaFaults(schema ?? "", said)).toEqual([]);
    }
    return said;
  }
  /** The arguments of a completion, and a mandate signed for them. */
  async function completion(id: string, total: string, more: JsonObject = {}) {
    const args = { meta: meta(randomUUID()), id, checkout: paying() };
    const mandate = await mandateFor(args, total, more);
    return { ...args, mandate };
  }
  const mandateFor = (args: JsonObject, total: string, more: JsonObject = {}) => {
    const { payment: _, ...signed } = cart({ total, protocol: "mcp" });
    const said = { ...signed, skill: "complete_checkout", arguments: args, ...more };
    return signMandate(at.mandate(shop, buyer, said), buyer.key.signer);
  };

  test("they are listed by their standard names, and complete a purchase with a mandate", async () => {
    const { items } = await use("search_catalog", { catalog: { query: "rose" } }).then(
      ({ products }) => ({ items: products }),
    );
    expect(items.map(({ id }: { id: string }) => id)).toEqual(["rose"]);
    expect((await use("lookup_catalog", { catalog: { ids: ["rose"] } })).products).toHaveLength(1);
    expect((await use("get_product", { catalog: { id: "rose" } })).product.id).toBe("rose");
    const basket = await use("create_cart", { cart: { ...lines(["rose", 1]), buyer: BUYER } });
    expect((await use("get_cart", { id: basket.id })).id).toBe(basket.id);
    const { fulfillment } = ROSE;
    const checkout = { cart_id: basket.id, line_items: [], fulfillment };
    const made = await use("create_checkout", { checkout });
    expect([made.status, made.totals.at(-1).amount]).toEqual(["ready_for_complete", 10_490]);
    const asked = await use("complete_checkout", { id: made.id }, randomUUID());
    expect([asked.outcome, asked.sign.protocol_context]).toEqual([
      "mandate_required",
      { protocol: "mcp", cart_total: "104.90", cart_currency: "EUR" },
    ]);
    const done = await use("complete_checkout", await completion(made.id, "104.90"));
    expect([done.status, done.outcome]).toEqual(["completed", "approved"]);
    const [order] = await at.orders(shop);
    expect(order).toMatchObject({
      order_id: done.order.id,
      agent_id: buyer.agentId,
      protocol: "mcp",
      amount: { minor: 10_490, currency: "EUR" },
    });
    expect((await use("get_checkout", { id: made.id })).order).toEqual(done.order);
    const about = await shop.admin("GET", `/decisions?checkout_id=${made.id}`);
    expect(about.body.items).toMatchObject([{ mandate_id: done.mandate_id, protocol: "mcp" }]);
    const [decision] = await at.records(shop, "mandate.decision");
    expect(decision.record.checkout).toEqual({
      checkout_id: made.id,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await expectBooksAgree(server.context, shop, { rose: 50 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    const calls = await at.records(shop, "mcp.tools_call");
    expect(
      calls.map(({ record }: { record: { tool: { name: string } } }) => record.tool.name),
    ).toContain("complete_checkout");
    expect(JSON.stringify(calls)).not.toMatch(/ada@|Gartenstr/);
  });

  test("they have schemas that validators without formats, and with one type each, can use", async () => {
    const { body } = await send(`${server.url}/v1/mcp/${shop.site_key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const { tools } = body.result;
    expect(tools.map(({ name }: { name: string }) => name)).toContain("update_checkout");
    expect(JSON.stringify(tools)).not.toMatch(/"format":|"type":\[/);
  });

  test("they hand a checkout to a person if nobody sends a mandate, and it stays open", async () => {
    const { id, continue_url } = await use("create_checkout", { checkout: ROSE });
    const asked = await use("complete_checkout", { id }, randomUUID());
    expect([asked.status, asked.continue_url]).toEqual(["requires_escalation", continue_url]);
    expect(asked.messages[0]).toMatchObject({
      code: "mandate_required",
      severity: "requires_buyer_input",
    });
    expect(asked.sign.skill).toBe("complete_checkout");
    expect((await use("get_checkout", { id })).status).toBe("ready_for_complete");
    const bare = await use("create_checkout", { checkout: lines(["rose", 1]) });
    const missing = await use("complete_checkout", { id: bare.id }, randomUUID());
    expect([missing.status, missing.outcome]).toEqual(["incomplete", "mandate_required"]);
    const none = await use("complete_checkout", { id: "chk_none" }, randomUUID());
    expect([none.ucp.status, none.messages[0].code]).toEqual(["error", "not_found"]);
  });

  test.each([
    ["another amount", "104.91", {}, "cart_mismatch", "ready_for_complete"],
    [
      "another checkout",
      "104.90",
      { arguments: { id: "chk_none" } },
      "arguments_mismatch",
      undefined,
    ],
    ["another skill", "104.90", { skill: "get_pricing" }, "arguments_mismatch", undefined],
  ])("they complete nothing with a mandate for %s", async (_name, total, more, reason, status) => {
    const { id } = await use("create_checkout", { checkout: ROSE });
    const refused = await use("complete_checkout", await completion(id, total, more));
    expect([refused.status, refused.reason]).toEqual([status, reason]);
    // Whose mandate does not hold is shown nothing of the buyer.
    if (status === undefined) expect(JSON.stringify(refused)).not.toMatch(/ada@|Gartenstr/);
    expect(await at.orders(shop)).toEqual([]);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("the mandate endpoint accepts the same mandate, and a person may have to review it", async () => {
    const { id } = await use("create_checkout", { checkout: { ...ROSE, ...lines(["palm", 1]) } });
    const body = await mandateFor({ meta: meta(), id, checkout: paying() }, "604.90");
    const asked = await at.send(shop, body);
    expect([asked.status, asked.body.outcome]).toEqual([202, "escalated"]);
    expect((await use("get_checkout", { id })).status).toBe("requires_escalation");
    const path = `/escalations/${asked.body.escalation_id}/approve`;
    expect((await shop.admin("POST", path, {})).body).toEqual({ status: "approved" });
    expect((await use("get_checkout", { id })).status).toBe("completed");
    expect((await at.send(shop, body)).body.outcome).toBe("approved");
    await expectBooksAgree(server.context, shop, { palm: 5 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("what a platform created with a signature is not shown over MCP", async () => {
    const { id } = await at.ready(shop);
    expect((await use("get_checkout", { id })).messages[0].code).toBe("not_found");
    const refused = await use("complete_checkout", await completion(id, "104.90"));
    expect([refused.status, refused.reason]).toEqual([undefined, "cart_invalid"]);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("a changed price is refused, and shown by reading the checkout", async () => {
    const { id } = await use("create_checkout", { checkout: ROSE });
    const dearer = { id: "rose", title: "A rose", price: "120.00", currency: "EUR", quantity: 50 };
    await at.importLines(shop, [dearer]);
    const refused = await at.send(
      shop,
      await mandateFor({ meta: meta(), id, checkout: paying() }, "104.90"),
    );
    expect(refused.body.reason).toBe("cart_mismatch");
    expect((await use("get_checkout", { id })).totals.at(-1).amount).toBe(12_490);
  });

  test.each([
    ["no platform", { meta: {} }, -32_001, "invalid_profile_url"],
    [
      "a platform that does not exist",
      { meta: { "ucp-agent": { profile: "https://nobody.example.com/p" } } },
      -32_001,
      "profile_unreachable",
    ],
    [
      "a profile address with a hidden parameter",
      { meta: { "ucp-agent": { profile: 'http://a.example/",x="' } } },
      -32_001,
      "invalid_profile_url",
    ],
    ["a broken body", { checkout: { line_items: "x" } }, -32_602, "invalid_request"],
    ["an invalid body", { checkout: [] }, -32_602, "invalid_request"],
  ])("a call with %s is a protocol error, and recorded", async (_name, args, code, word) => {
    const { error } = await use("create_checkout", args as JsonObject);
    expect([error.code, error.data.error]).toEqual([code, word]);
    const [{ record }] = await at.records(shop, "mcp.tools_call");
    expect(record.tool).toMatchObject({ outcome: "refused", reason: word });
  });

  test("an idempotency key makes a retry safe, and is required where it is needed", async () => {
    const { error } = await use("cancel_checkout", { id: "chk_none" });
    expect(error.data.error).toBe("invalid_request");
    const first = await use("create_checkout", { checkout: ROSE }, "k-1");
    expect((await use("create_checkout", { checkout: ROSE }, "k-1")).id).toBe(first.id);
    const other = { ...ROSE, ...lines(["vase", 1]) };
    const conflict = await use("create_checkout", { checkout: other }, "k-1");
    expect([conflict.error.code, conflict.error.data.error]).toEqual([-32_000, "conflict"]);
    expect((await use("create_checkout", { checkout: ROSE })).id).not.toBe(first.id);
    expect((await use("cancel_checkout", { id: first.id }, "k-2")).status).toBe("canceled");
  });

  test("a refusal has UCP's status for a client that accepts JSON alone, and 200 for one of MCP", async () => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_order", arguments: { meta: meta(), id: "ord_1" } },
    });
    const statusFor = async (accept: string) => {
      const headers = { "content-type": "application/json", accept };
      const url = `${server.url}/v1/mcp/${shop.site_key}`;
      const answer = await fetch(url, { method: "POST", headers, body });
      const { error } = (await answer.json()) as { error: { data: { code: string } } };
      return [answer.status, error.data.code];
    };
    expect(await statusFor("application/json")).toEqual([401, "signature_missing"]);
    const both = "application/json, text/event-stream";
    expect(await statusFor(both)).toEqual([200, "signature_missing"]);
  });
});
