import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { selling } from "./selling.ts";

const ROSE = { items: [{ id: "rose", quantity: 1 }] };

describe.each(TIER_DATABASES)("buying with a tool, on %s:", (dialect) => {
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect));
    at = selling(server);
    shop = await at.shop();
    buyer = await at.buyer(shop);
    return cleanUp;
  });

  const counts = async () => ({
    calls: (await at.records(shop, "mcp.tools_call")).length,
    decisions: (await at.records(shop)).length,
    orders: (await at.orders(shop)).length,
    charges: (await at.authorizations(shop)).length,
  });
  /** What a step adds to the log, the orders and the processor's books. */
  const added = async (step: () => Promise<unknown>) => {
    const before = await counts();
    await step();
    const after = await counts();
    return Object.fromEntries(
      Object.entries(after).map(([name, count]) => [
        name,
        count - before[name as keyof typeof before],
      ]),
    );
  };

  test("the tool is listed with its input, and is a skill on the card", async () => {
    const client = new Client({ name: "buyer", version: "1" });
    const url = new URL(`${server.url}/v1/mcp/${shop.site_key}`);
    await client.connect(new StreamableHTTPClientTransport(url));
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "place_order");
    expect(tool?.inputSchema.required).toEqual(["items"]);
    expect(tool?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    const card = await (await fetch(`${server.url}/v1/agent-card/${shop.site_key}.json`)).json();
    const skill = card.skills.find(({ id }: { id: string }) => id === "place_order");
    expect(skill).toMatchObject({ requires_mandate: true });
    // The client checks what comes back against the schema the tool declares.
    const mandate = await at.signed(shop, buyer);
    const bought = await client.callTool({ name: "place_order", arguments: { ...ROSE, mandate } });
    expect(bought.structuredContent).toMatchObject({ outcome: "approved" });
    await client.close();
  });

  test("without a mandate it says what to sign, with the current price, and buys nothing", async () => {
    const changes = await added(async () => {
      const { result } = await at.call(shop, ROSE);
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toMatchObject({
        outcome: "mandate_required",
        sign: {
          v: 1,
          skill: "place_order",
          site_key: shop.site_key,
          arguments: ROSE,
          audience: `${server.context.config.baseUrl}/v1/m/${shop.site_key}/mandate`,
          protocol_context: { protocol: "mcp", cart_total: "100.00", cart_currency: "EUR" },
          payment: { handler: "sandbox" },
        },
      });
    });
    expect(changes).toEqual({ calls: 1, decisions: 0, orders: 0, charges: 0 });
  });

  test("the same mandate by tool and by endpoint, in either order, is one decision with one body", async () => {
    for (const first of ["tool", "endpoint"]) {
      const mandate = await at.signed(shop, buyer);
      const bodies: unknown[] = [];
      const tool = async () =>
        bodies.push((await at.call(shop, { ...ROSE, mandate })).result.structuredContent);
      const endpoint = async () => bodies.push((await at.send(shop, mandate)).body);
      const steps = first === "tool" ? [tool, endpoint] : [endpoint, tool];
      const changes = await added(async () => {
        for (const step of steps) await step();
      });
      expect(bodies[0]).toEqual(bodies[1]);
      expect(bodies[0]).toMatchObject({ outcome: "approved" });
      expect(changes).toEqual({ calls: 1, decisions: 1, orders: 1, charges: 1 });
    }
    const kinds = (await at.orders(shop)).map((order: object) => Object.keys(order).join());
    expect(new Set(kinds).size).toBe(1);
  });

  test("a rejection and an escalation have the endpoint's body too", async () => {
    for (const fields of [
      { total: "1.00" },
      { items: [{ id: "palm", quantity: 1 }], total: "600.00" },
    ]) {
      const mandate = await at.signed(shop, buyer, fields);
      const items = fields.items ?? ROSE.items;
      const { result } = await at.call(shop, { items, mandate });
      expect((await at.send(shop, mandate)).body).toEqual(result.structuredContent);
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
      expect(result.isError).toBe(result.structuredContent.outcome === "rejected");
    }
  });

  test("the mandate may be in _meta, and two different ones are refused", async () => {
    const [one, other] = [await at.signed(shop, buyer), await at.signed(shop, buyer)];
    const meta = { "dev.gatehouse/mandate": one };
    const before = await at.records(shop);
    const both = await at.call(shop, { ...ROSE, mandate: other }, meta);
    expect(both.result.structuredContent).toMatchObject({ reason: "schema_invalid" });
    const [refusal, ...others] = await at.records(shop);
    expect(others).toHaveLength(before.length);
    expect(refusal.record.decision).toEqual({
      outcome: "rejected",
      reason_codes: ["schema_invalid"],
    });
    const bought = await at.call(shop, { ...ROSE, mandate: one }, meta);
    expect(bought.result.structuredContent).toMatchObject({ outcome: "approved" });
    const again = await at.call(shop, ROSE, meta);
    expect(again.result.structuredContent).toEqual(bought.result.structuredContent);
  });

  test.each([
    ["other items", { items: [{ id: "rose", quantity: 2 }] }],
    ["one more item", { items: [...ROSE.items, { id: "vase", quantity: 1 }] }],
    ["one more argument", { ...ROSE, gift: true }],
    ["fewer arguments", {}],
  ])(
    "a call with %s than the mandate signed is refused, and the mandate stays valid",
    async (_, args) => {
      const mandate = await at.signed(shop, buyer);
      const changes = await added(async () => {
        const { result } = await at.call(shop, { ...args, mandate });
        expect(result.structuredContent).toMatchObject({
          outcome: "rejected",
          reason: "arguments_mismatch",
        });
      });
      expect(changes).toMatchObject({ calls: 1, orders: 0, charges: 0 });
      expect((await at.send(shop, mandate)).status).toBe(200);
    },
  );

  test("a mandate for another tool is refused", async () => {
    const mandate = await at.signed(shop, buyer, {}, { skill: "get_pricing" });
    const { result } = await at.call(shop, { ...ROSE, mandate });
    expect(result.structuredContent.reason).toBe("arguments_mismatch");
  });

  test("a mandate longer than the endpoint accepts is refused here too", async () => {
    const { signed, envelope } = await at.signed(shop, buyer);
    const mandate = { signed: { ...signed, pad: "x".repeat(8192) }, envelope };
    const { result } = await at.call(shop, { ...ROSE, mandate });
    expect(result.structuredContent.reason).toBe("body_too_large");
    expect((await at.send(shop, mandate)).body.reason).toBe("body_too_large");
  });

  test("every call is one record that names the outcome, and never the mandate", async () => {
    await at.call(shop, { ...ROSE, mandate: await at.signed(shop, buyer, { total: "1.00" }) });
    const [call] = await at.records(shop, "mcp.tools_call");
    expect(call.record.tool).toMatchObject({
      name: "place_order",
      outcome: "refused",
      reason: "cart_mismatch",
      is_error: true,
    });
    expect(JSON.stringify(call)).not.toContain("pm_card");
  });

  test("the call is recorded in the commit of its decision, before its payment has an outcome", async () => {
    const mandate = await at.signed(shop, buyer);
    const { result } = await at.call(shop, { ...ROSE, mandate });
    expect(result.structuredContent).toMatchObject({ outcome: "approved" });
    const types = ["mandate.decision", "mcp.tools_call", "payment.outcome"];
    const newest = await Promise.all(types.map(async (type) => (await at.records(shop, type))[0]));
    const [decision, call] = newest.map(({ record }) => record);
    const first = decision.seq;
    expect(newest.map(({ record }) => record.seq)).toEqual([first, first + 1, first + 2]);
    expect(call.tool).toMatchObject({ name: "place_order", outcome: "answered", is_error: false });
  });
});

test("mandates that cannot be read count towards the limit of anonymous calls", async () => {
  const clock = new ManualClock(NOON);
  const env = { GATEHOUSE_MCP_CALLS_PER_SITE_PER_MINUTE: "10" };
  const server = await startServer({ ...(await freshEnvironment("sqlite")), ...env }, { clock });
  const at = selling(server);
  const shop = await at.shop();
  const outcomes = [];
  for (let i = 0; i < 12; i++) {
    const { result } = await at.call(shop, { ...ROSE, mandate: "x".repeat(10_000) });
    outcomes.push(result.structuredContent.outcome);
  }
  expect(outcomes).toContain("rejected");
  expect(outcomes.at(-1)).toBe("rate_limited");
});
