import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { canonicalize } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { toolResult } from "../../src/actions/mcp/tools.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  raw,
  startServer,
} from "../harness.ts";
import { INITIALIZE, mcpShop, TRUSTED_PROXY } from "./asking.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const STATELESS = "2026-07-28";

/** One for all tests that leave it as it was; its public name is another than loopback. */
let shop: Awaited<ReturnType<typeof mcpShop>>;
beforeAll(async () => {
  shop = await mcpShop({ env: { GATEHOUSE_BASE_URL: "https://gate.example.com" } });
  return cleanUp;
});

describe.each(DATABASES)("a tool call, on %s,", (dialect) => {
  test("is recorded with its tool and the claimed client, and without the text of the question", async () => {
    const { rpc, session, calls, call } = await mcpShop({ dialect });
    const question = "How much for my aunt Ludmila?";
    const answer = await call(await session(), "get_pricing", { question });
    const [record] = await calls();
    expect(record).toMatchObject({
      protocol: "mcp",
      protocol_version: "2025-06-18",
      request: { id: answer.headers.get("x-request-id"), method: "POST" },
      client: {
        address: "127.0.0.0/24",
        name_commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
        version_commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      tool: { name: "get_pricing", outcome: "answered", is_error: false },
    });
    expect(record.tool.args_digest).toBe(sha256(canonicalize({ question })));
    expect(record.tool.result_digest).toBe(sha256(canonicalize(answer.body.result)));
    expect(JSON.stringify(record)).not.toContain("Ludmila");
    await rpc("tools/list");
    expect(await calls()).toHaveLength(1);
  });

  test.each(["{}", "[{}]", '{"toString":"x"}', "5", "null"])(
    "that names %s as its tool is refused and recorded once",
    async (name) => {
      const { rpc, calls } = await mcpShop({ dialect });
      const answer = await rpc("tools/call", { name: JSON.parse(name) });
      expect([answer.status, answer.body.error.code]).toEqual([200, -32602]);
      expect(await calls()).toMatchObject([
        { tool: { outcome: "refused", reason: "no_tool_named" } },
      ]);
    },
  );

  test("is not answered while it cannot be recorded, and is answered again once it can", async () => {
    const { server, call, rpc } = await mcpShop({ dialect });
    await call();
    const { audit } = server.context;
    const { DatabaseUnavailableError } = await import("../../src/infra/db/database.ts");
    const commit = audit.commit.bind(audit);
    audit.commit = () => Promise.reject(new DatabaseUnavailableError("gone"));
    const refused = await call();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(refused.body).toMatchObject({
      id: 1,
      error: { code: -32000, data: { error: "unavailable", retry_after_seconds: 5 } },
    });
    expect((await rpc("tools/list")).status).toBe(200);
    audit.commit = commit;
    expect((await call()).body.result.isError).toBe(false);
  });

  test("gets the new answer right after the owner's change", async () => {
    const { server, admin, call, rpc } = await mcpShop({ dialect });
    const names = async () =>
      (await rpc("tools/list")).body.result.tools.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(["get_pricing", "sign_up"]);
    const url = "https://shop.example.com/new-prices";
    await server.admin("PUT", `${admin}/skills`, {
      skills: [{ id: "get_pricing", enabled: true, url }],
    });
    expect(await names()).toEqual(["get_pricing"]);
    expect((await call()).body.result.structuredContent.url).toBe(url);
    await server.admin("DELETE", admin);
    expect((await rpc("tools/list")).status).toBe(404);
  });
});

test("an unknown site, and one whose domain is not verified, have no MCP server", async () => {
  const { server, url } = shop;
  const pending = await createSite(server, "pending.example.com", false);
  const ask = async (key: string) =>
    answerOf(
      await fetch(`${server.url}/v1/mcp/${key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      }),
    );
  expect(await ask(`us_${"B".repeat(43)}`)).toMatchObject({
    status: 404,
    body: { error: "not_found", message: "No site has this key." },
  });
  expect(await ask(pending.site_key)).toMatchObject({
    status: 404,
    body: { status: "pending_verification", domain: "pending.example.com" },
  });
  expect((await ask(`${url.split("/").at(-1)}?a=b`)).status).toBe(200);
});

test("other methods are refused with the allowed ones, and preflights are answered", async () => {
  const { url } = shop;
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers } = await fetch(url, { method });
    expect([status, headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
  }
  const { status, headers } = await fetch(url, { method: "OPTIONS" });
  expect(status).toBe(204);
  const allowed = headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  for (const name of ["mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"]) {
    expect(allowed).toContain(name);
  }
  const posted = await fetch(url, { method: "POST", body: "{}" });
  expect(posted.headers.get("access-control-allow-origin")).toBe("*");
  expect(posted.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
});

test("bodies that are over 256 KB, compressed or of another type are refused", async () => {
  const { send } = shop;
  const large = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "b" } });
  const padded = large.replace('"b"', JSON.stringify("b".repeat(256 * 1024)));
  expect(await send(padded)).toMatchObject({ status: 413, body: { error: { code: -32000 } } });
  expect((await send(large, { "content-encoding": "gzip" })).status).toBe(415);
  expect((await send(large, { "content-type": "text/json" })).status).toBe(415);
  expect((await send(large)).status).toBe(200);
});

test.each([
  ["", -32700],
  ["{", -32700],
  ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', -32600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  ['{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_pricing"}}', -32600],
  [`{"jsonrpc":"2.0","id":1,"method":"${"a".repeat(201)}"}`, -32600],
  ['{"jsonrpc":"2.0","id":1}', -32600],
  [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${"1,".repeat(5000)}1]}}`, -32600],
])("the invalid message %# is refused", async (body, code) => {
  const { send, calls } = shop;
  const { status, body: answer } = await send(body);
  expect([status, answer.error.code]).toEqual([400, code]);
  expect(await calls()).toEqual([]);
});

test("a client's name is shortened, and cannot control a terminal", async () => {
  const { server, rpc, call, calls } = await mcpShop();
  const name = `operator\n\u001b[31m\u202e${"🌷".repeat(100)}`;
  const clientInfo = { name, version: "~1%41" };
  const { headers } = await rpc("initialize", { ...INITIALIZE, clientInfo });
  const id = headers.get("mcp-session-id") ?? "";
  expect(id).toMatch(/^[!-~]{1,2000}$/);
  await call({ "mcp-session-id": id });
  const sql = "SELECT words FROM stranger_words ORDER BY words";
  const kept = await server.context.db.all<{ words: string }>(sql);
  expect(kept.map(({ words }) => words).sort()).toEqual(
    [`operator[31m${"🌷".repeat(52)}`, "~1%41"].sort(),
  );
  await call({ "mcp-session-id": id.replace("operator", "someone1") });
  expect((await calls())[1].client.session).toBeUndefined();
});

test("notifications and responses are accepted without an answer", async () => {
  const { send } = shop;
  const taken = [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
  ];
  for (const message of taken) {
    expect(await send(JSON.stringify(message))).toMatchObject({ status: 202, body: "" });
  }
});

/** Sends a head and part of a body, then the rest once `meanwhile` is done. */
async function slowly(
  { server, site }: Awaited<ReturnType<typeof mcpShop>>,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const params = { name: "get_pricing", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  const lines = ["Host: localhost", "Content-Type: application/json", "Connection: close"];
  const head = [
    `POST /v1/mcp/${site.site_key} HTTP/1.1`,
    ...lines,
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
  // The service has the head once it has answered something asked after it.
  await server.admin("GET", "/v1/admin/sites");
  await meanwhile();
  socket.write(body.slice(5));
  let answer = "";
  for await (const piece of socket.setEncoding("utf8")) answer += piece;
  return answer;
}

describe("a body that arrives slowly", () => {
  test("is answered by the site as it is at the end", async () => {
    const shop = await mcpShop();
    const { server, admin } = shop;
    const url = "https://shop.example.com/new";
    const skills = [{ id: "get_pricing", enabled: true, url }];
    const put = () => server.admin("PUT", `${admin}/skills`, { skills });
    expect(await slowly(shop, put)).toContain(url);
    const moved = () => server.admin("PATCH", admin, { domain: "moved.example.com" });
    expect(await slowly(shop, moved)).toContain("pending_verification");
  });

  test("gets no answer from a deleted site, and leaves no record", async () => {
    const shop = await mcpShop();
    const answer = await slowly(shop, () => shop.server.admin("DELETE", shop.admin));
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    const { audit, db } = shop.server.context;
    const head = await audit.newest(db, shop.site.site_key_hash);
    const sql =
      "SELECT COUNT(*) AS n FROM audit_records WHERE chain = ? AND type = 'mcp.tools_call'";
    expect(Number((await db.get<{ n: number }>(sql, head?.chain ?? ""))?.n)).toBe(0);
  });
});

test("a call in progress when its site is deleted is neither answered nor recorded", async () => {
  const shop = await mcpShop();
  const { audit } = shop.server.context;
  await shop.call();
  const commit = audit.commit.bind(audit);
  audit.commit = (async (...args: Parameters<typeof commit>) => {
    audit.commit = commit;
    await shop.server.admin("DELETE", shop.admin);
    return commit(...args);
  }) as typeof commit;
  expect((await shop.call()).status).toBe(404);
});

test("a large body takes the place of several small ones", async () => {
  const env = { GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "60" };
  const { rpc } = await mcpShop({ env });
  const large = { name: "get_pricing", arguments: { question: "a".repeat(200 * 1024) } };
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await rpc("tools/call", large)).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
});

describe("the stateless revision", () => {
  const META = "io.modelcontextprotocol/";
  const meta = { [`${META}protocolVersion`]: STATELESS, [`${META}clientCapabilities`]: {} };
  const headers = (method: string) => ({ "mcp-protocol-version": STATELESS, "mcp-method": method });

  test("opens no session, and counts by address whatever session is sent", async () => {
    const { rpc, session, calls } = await mcpShop();
    const { body, headers: got } = await rpc(
      "server/discover",
      { _meta: meta },
      headers("server/discover"),
    );
    expect(got.get("mcp-session-id")).toBeNull();
    expect(body.result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2025-06-18", STATELESS],
      capabilities: { tools: {} },
      cacheScope: "public",
    });
    const params = { name: "get_pricing", _meta: meta };
    const sent = { ...headers("tools/call"), "mcp-name": "get_pricing", ...(await session()) };
    expect((await rpc("tools/call", params, sent)).body.result.resultType).toBe("complete");
    expect((await calls())[0].client).toEqual({ address: "127.0.0.0/24" });
  });

  test("refuses a call that contradicts itself, and records it as a call", async () => {
    const { rpc, calls, server } = await mcpShop();
    const params = { name: "get_pricing", _meta: meta };
    const wrong = { ...headers("tools/call"), "mcp-name": "sign_up" };
    expect((await rpc("tools/call", params, wrong)).status).toBe(400);
    expect((await rpc("tools/call", {}, { "mcp-protocol-version": "1999-01-01" })).status).toBe(
      400,
    );
    expect((await rpc("tools/call", {})).body.error.message).toContain("`params.name`");
    const seen = (await calls()).map(({ tool }) => [tool.name, tool.outcome, tool.reason]);
    expect(seen).toEqual([
      ["get_pricing", "refused", "protocol_error"],
      [undefined, "refused", "protocol_error"],
      [undefined, "refused", "no_tool_named"],
    ]);
    const metrics = server.context.metrics.render();
    expect(metrics).toContain('gatehouse_mcp_calls_total{outcome="refused"} 3\n');
    expect(metrics).toMatch(/gatehouse_http_request_seconds_count\{area="mcp"\} 3\n/);
  });

  test("has neither initialize nor ping", async () => {
    const { rpc } = shop;
    for (const method of ["initialize", "ping"]) {
      const params = { ...INITIALIZE, _meta: meta };
      const { status, body } = await rpc(method, params, headers(method));
      expect([status, body.error.code]).toEqual([404, -32601]);
    }
  });

  test("accepts a tool's name in base64, and refuses one that differs from the body's", async () => {
    const { rpc } = shop;
    const call = (name: string) =>
      rpc(
        "tools/call",
        { name: "get_pricing", _meta: meta },
        {
          ...headers("tools/call"),
          "mcp-name": name,
        },
      );
    const encoded = `=?base64?${Buffer.from("get_pricing").toString("base64")}?=`;
    expect((await call(encoded)).status).toBe(200);
    for (const name of ["sign_up", "=?base64?c2lnbl91cA==?=", "=?base64?%?="]) {
      expect(await call(name)).toMatchObject({ status: 400, body: { error: { code: -32020 } } });
    }
  });
});

test("a list longer than a page is read page by page, and restarted after a change", async () => {
  const tools = Array.from({ length: 118 }, (_, i) => ({
    kind: "plain" as const,
    seen: { hasNoAnswers: false },
    definition: { name: `tool_${i}`, inputSchema: { type: "object" } },
    call: () => toolResult({ content: [] }, "answered"),
  }));
  const { rpc, server, admin } = await mcpShop({ overrides: { fixtureTools: tools } });
  const names: string[] = [];
  const cursors: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const { body } = await rpc("tools/list", cursor === "" ? {} : { cursor });
    const result: { tools: { name: string }[]; nextCursor?: string } = body.result;
    names.push(...result.tools.map(({ name }: { name: string }) => name));
    cursor = result.nextCursor;
    if (cursor !== undefined) cursors.push(cursor);
  }
  const own = ["get_pricing", "sign_up"];
  expect(names).toEqual([...own, ...tools.map(({ definition }) => definition.name)]);
  expect(cursors).toHaveLength(2);
  await server.admin("PATCH", admin, { name: "Another name" });
  const stale = await rpc("tools/list", { cursor: cursors[0] });
  expect([stale.status, stale.body.error.code]).toEqual([200, -32602]);
});

const head = (port: number, key: string, headers: readonly string[]) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const lines = [
    `POST /v1/mcp/${key} HTTP/1.1`,
    ...headers,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return raw(port, `${lines.join("\r\n")}\r\n\r\n${body}`);
};

test.each(["", "a b", "a/b@c"])("a public address refuses the Host %j", async (host) => {
  const env = await freshEnvironment("sqlite");
  const { site_key } = await createSite(await startServer(env), "shop.example.com");
  const { port } = await startServer({
    ...env,
    ...TRUSTED_PROXY,
    GATEHOUSE_MODE: "production",
    GATEHOUSE_BASE_URL: "https://gate.example.com",
    GATEHOUSE_HOST: "0.0.0.0",
  });
  const https = "X-Forwarded-Proto: https";
  expect(await head(port, site_key, [`Host: ${host}`, https])).toMatch(/^HTTP\/1\.1 400 /);
  const good = ["Host: gate.example.com", https];
  expect(await head(port, site_key, good)).toMatch(/^HTTP\/1\.1 200 /);
});

describe("on loopback,", () => {
  test.each([
    ["localhost", undefined, 200],
    ["127.0.0.1:8787", "http://localhost:3000", 200],
    ["[::1]:8787", "http://[::1]", 200],
    ["shop.localhost", "http://shop.localhost", 200],
    ["gate.example.com", "https://agent.example.net", 200],
    ["localhost", "https://gate.example.com", 200],
    ["evil.example.com", undefined, 403],
    ["127.evil.example.com", "http://127.evil.example.com", 403],
    ["127.0.0.1.evil.example.com", undefined, 403],
    ["localhost", "http://127.evil.example.com", 403],
    ["evil.example.com@localhost", undefined, 403],
    ["evil.example.com", "http://evil.example.com", 403],
    ["localhost.evil.example.com", undefined, 403],
    ["localhost", "https://evil.example.com", 403],
    ["localhost", "null", 403],
    ["", undefined, 403],
  ])("a request for %j from %j gets %d", async (host, origin, status) => {
    const { server, site } = shop;
    const from = origin === undefined ? [] : [`Origin: ${origin}`];
    const answer = await head(server.port, site.site_key, [`Host: ${host}`, ...from]);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (status === 403) expect(answer).toContain("host_not_allowed");
  });
});
