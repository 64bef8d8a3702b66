import { describe, expect, test } from "vitest";
import { OFFICIAL_CLIENTS } from "../../../../conformance/mcp/clients.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON } from "../harness.ts";
import { closing, from, mcpShop, TRUSTED_PROXY } from "./asking.ts";

const limits = (named: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(named).map(([name, value]) => [`GATEHOUSE_${name}`, String(value)]),
  );

/** Calls until one is refused; how many passed, and the refusal. */
async function callUntilLimited(call: () => Promise<{ body: { error?: { data: unknown } } }>) {
  for (let passed = 0; passed < 1000; passed++) {
    const { body } = await call();
    if (body.error !== undefined) return { passed, data: body.error.data };
  }
  throw new Error("never limited");
}

describe.each(OFFICIAL_CLIENTS)("over its rate, $name", ({ connect, revision }) => {
  test("reads rate_limited as typed data, and continues after it has waited", async () => {
    const clock = new ManualClock(NOON);
    const env = limits({
      MCP_CALLS_PER_SESSION_PER_MINUTE: 6,
      MCP_CALLS_PER_ADDRESS_PER_MINUTE: 6,
    });
    const { url } = await mcpShop({ env, overrides: { clock } });
    const client = closing(await connect(url));
    const call = () => client.callTool({ name: "get_pricing" });
    for (let i = 0; i < 6; i++) expect((await call()).isError).toBe(false);
    const scope = revision === "2025-06-18" ? "session" : "address";
    await expect(call()).rejects.toMatchObject({
      code: -32000,
      data: { error: "rate_limited", retry_after_seconds: 10, scope },
    });
    clock.advance(10_000);
    expect((await call()).isError).toBe(false);
  });
});

test("a session has its own limit, apart from another one of the same address", async () => {
  const { call, session } = await mcpShop({
    env: limits({ MCP_CALLS_PER_ADDRESS_PER_MINUTE: 60 }),
  });
  const [one, two] = [await session(), await session()];
  const { passed, data } = await callUntilLimited(() => call(one));
  expect([passed, data]).toEqual([20, expect.objectContaining({ scope: "session" })]);
  expect((await call(two)).body.result.isError).toBe(false);
});

/** A sample in `npm test`; `npm run test:long` mints them all. */
const SESSIONS = Number(process.env.MCP_SESSIONS ?? 500);

test(`${SESSIONS} sessions of one address neither raise its limit nor take memory`, {
  timeout: 30_000 + SESSIONS * 10,
}, async () => {
  const env = limits({
    SOURCE_REQUESTS_PER_MINUTE: 1_000_000,
    MCP_SESSIONS_PER_ADDRESS_PER_MINUTE: 1_000_000,
    MCP_CALLS_PER_ADDRESS_PER_MINUTE: 30,
  });
  const clock = new ManualClock(NOON);
  const { call, session, server } = await mcpShop({ env, overrides: { clock } });
  const remembered = () => {
    const [, value] = /^gatehouse_mcp_limits_remembered (\d+)$/m.exec(
      server.context.metrics.render(),
    ) ?? ["", ""];
    return Number(value);
  };
  const sessions: Record<string, string>[] = [];
  while (sessions.length < SESSIONS) {
    sessions.push(...(await Promise.all(Array.from({ length: 100 }, session))));
  }
  expect(new Set(sessions.map((one) => one["mcp-session-id"])).size).toBe(SESSIONS);
  // One address, of which it is known how many it has opened.
  expect(remembered()).toBe(1);
  let next = 0;
  const { passed, data } = await callUntilLimited(() => call(sessions[next++] ?? {}));
  expect([passed, data]).toEqual([30, expect.objectContaining({ scope: "address" })]);
  await Promise.all(sessions.slice(0, 200).map((one) => call(one)));
  // Besides it: the address at this site, and the sessions that made a call.
  expect(remembered()).toBe(2 + 30);
});

test("one address cannot use the limit of the whole site", async () => {
  const env = {
    ...limits({ MCP_CALLS_PER_ADDRESS_PER_MINUTE: 5, MCP_CALLS_PER_SITE_PER_MINUTE: 20 }),
    ...TRUSTED_PROXY,
  };
  const clock = new ManualClock(NOON);
  const { call } = await mcpShop({ env, overrides: { clock } });
  const greedy = from("203.0.113.7");
  for (let i = 0; i < 40; i++) await call(greedy);
  const others = ["203.0.113.8", "2001:db8:1::1"].map(from);
  for (const other of others) {
    for (let i = 0; i < 3; i++) expect((await call(other)).body.error).toBeUndefined();
  }
  // Eleven of the fourteen that anybody may take are taken: a fourth has the share of a fourth.
  for (let i = 0; i < 3; i++) expect((await call(from("203.0.113.9"))).body.error).toBeUndefined();
  expect((await call(from("203.0.113.9"))).body.error.data).toMatchObject({ scope: "site" });
  // The last six are kept for newcomers.
  expect((await call(from("203.0.113.10"))).body.error).toBeUndefined();
});

test("addresses of one /64 count as one, and a session of another site is not accepted", async () => {
  const env = { ...limits({ MCP_CALLS_PER_ADDRESS_PER_MINUTE: 2 }), ...TRUSTED_PROXY };
  const shop = await mcpShop({ env });
  expect((await shop.call(from("2001:db8::1"))).body.error).toBeUndefined();
  expect((await shop.call(from("2001:db8::2"))).body.error).toBeUndefined();
  expect((await shop.call(from("2001:db8::3"))).body.error.data.scope).toBe("address");
  const other = await mcpShop();
  const headers = { ...from("2001:db8:0:1::1"), ...(await other.session()) };
  await shop.call(headers);
  expect((await shop.calls()).at(-1).client.session).toBeUndefined();
});

test("the handshake costs no calls, and continues without a session if there are too many", async () => {
  const env = limits({
    MCP_SESSIONS_PER_ADDRESS_PER_MINUTE: 3,
    MCP_CALLS_PER_ADDRESS_PER_MINUTE: 4,
  });
  const { session, call, rpc } = await mcpShop({ env });
  const minted = [];
  for (let i = 0; i < 5; i++) minted.push(Object.keys(await session()).length);
  expect(minted).toEqual([1, 1, 1, 0, 0]);
  for (let i = 0; i < 10; i++) expect((await rpc("tools/list")).body.error).toBeUndefined();
  for (let i = 0; i < 4; i++) expect((await call()).body.error).toBeUndefined();
  expect((await call()).body.error.data.scope).toBe("address");
});

test("a flood from one address is refused before it is read, and is not recorded", async () => {
  const clock = new ManualClock(NOON);
  const env = { ...limits({ SOURCE_REQUESTS_PER_MINUTE: 4 }), ...TRUSTED_PROXY };
  const { call, calls } = await mcpShop({ env, overrides: { clock } });
  const flood = from("203.0.113.7");
  for (let i = 0; i < 4; i++) expect((await call(flood)).status).toBe(200);
  const refused = await call(flood);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "15"]);
  expect(refused.body.error).toMatchObject({
    message: "rate_limited",
    data: { error: "rate_limited", retry_after_seconds: 15 },
  });
  expect((await call(from("203.0.113.8"))).status).toBe(200);
  expect(await calls()).toHaveLength(5);
  clock.advance(15_000);
  expect((await call(flood)).status).toBe(200);
});

test("a limited call is recorded once, as limited", async () => {
  const { call, calls } = await mcpShop({ env: limits({ MCP_CALLS_PER_ADDRESS_PER_MINUTE: 1 }) });
  await call();
  await call();
  const [, limited, ...rest] = await calls();
  expect(rest).toEqual([]);
  expect(limited.tool).toMatchObject({
    name: "get_pricing",
    outcome: "rate_limited",
    is_error: true,
  });
  expect([limited.tool.reason, limited.tool.result_digest]).toEqual(["address", undefined]);
});

test("calls that cannot be served have the same limits, whatever they contain", async () => {
  const env = limits({ MCP_CALLS_PER_ADDRESS_PER_MINUTE: 3 });
  const clock = new ManualClock(NOON);
  const { call, calls } = await mcpShop({ env, overrides: { clock } });
  const unknown = { "mcp-protocol-version": "1999-01-01" };
  for (let i = 0; i < 3; i++) {
    expect((await call(unknown, "get_pricing", { mandate: {} })).status).toBe(400);
  }
  const { body } = await call(unknown, "get_pricing", { mandate: {} });
  expect(body.error.data).toMatchObject({ error: "rate_limited", scope: "address" });
  expect((await calls()).map(({ tool }) => tool.outcome)).toEqual([
    "refused",
    "refused",
    "refused",
    "rate_limited",
  ]);
});
