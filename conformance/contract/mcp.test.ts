import { expect, test } from "vitest";
import { ask, pathsOf, setSkills, siteWithSkills, verifiedSite } from "./asking.ts";
import { auditKeys, recordHolds } from "./auditing.ts";
import { callTool, INITIALIZE, openSession, recordedCalls, rpc } from "./calling.ts";

test("[1.1-e 4-e 9-e] a site has an MCP server that answers initialize with the declared version", async () => {
  const site = await verifiedSite();
  const { status, headers, body } = await rpc(site.site_key, "initialize", INITIALIZE);
  expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(body).toMatchObject({ jsonrpc: "2.0", id: 1 });
  expect(body.result).toMatchObject({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { title: site.name },
  });
  const other = await rpc(site.site_key, "initialize", {
    ...INITIALIZE,
    protocolVersion: "1999-01-01",
  });
  expect(other.body.result.protocolVersion).toBe("2025-06-18");
});

test("[4.1.9-a 1.8-a] initialize, tools/list and tools/call are all that a client needs", async () => {
  const { site } = await siteWithSkills();
  const headers = await openSession(site.site_key);
  const listed = await rpc(site.site_key, "tools/list", {}, headers);
  for (const { name } of listed.body.result.tools) {
    const { body } = await callTool(site.site_key, name, {}, headers);
    expect(body.result.isError).toBe(false);
  }
  expect(await recordedCalls(site)).toHaveLength(listed.body.result.tools.length);
});

test("[2.1-g] the route takes the site's key or its hash, and no other name", async () => {
  const site = await verifiedSite();
  for (const name of [site.site_key, site.site_key_hash]) {
    const { status, body } = await rpc(name, "initialize", INITIALIZE);
    expect([status, body.result.serverInfo.title]).toEqual([200, site.name]);
  }
  expect((await rpc(`us_${"A".repeat(43)}`, "initialize", INITIALIZE)).status).toBe(404);
});

test("[2.8-a] a request is a JSON-RPC 2.0 object with jsonrpc, id, method and params", async () => {
  const { site_key } = await verifiedSite();
  const headers = { "content-type": "application/json" };
  const send = async (message: unknown) => {
    const body = JSON.stringify(message);
    const answer = await ask("POST", `/v1/mcp/${site_key}`, { headers, body });
    return [answer.status, answer.body.error?.code];
  };
  const whole = { jsonrpc: "2.0", id: "a", method: "tools/list", params: {} };
  expect(await send(whole)).toEqual([200, undefined]);
  const { id: _id, ...unnamed } = whole;
  const faulty = [[whole], 1, { ...whole, jsonrpc: "1.0" }, { ...whole, id: null }, unnamed];
  for (const message of faulty) expect(await send(message)).toEqual([400, -32600]);
  expect(await send({ ...whole, params: [] })).toEqual([400, -32600]);
  expect(await send({ ...whole, method: "tools/none" })).toEqual([200, -32601]);
});

test("[2.8-b] initialize takes protocolVersion, capabilities and clientInfo", async () => {
  const { site_key } = await verifiedSite();
  const { clientInfo, ...others } = INITIALIZE;
  expect((await rpc(site_key, "initialize", INITIALIZE)).body.error).toBeUndefined();
  const faulty = [
    { ...INITIALIZE, protocolVersion: 1 },
    { ...INITIALIZE, capabilities: [] },
    others,
    { ...others, clientInfo: { name: clientInfo.name } },
  ];
  for (const params of faulty) {
    expect((await rpc(site_key, "initialize", params)).body.error.code).toBe(-32602);
  }
});

test("[4-f] bodies are JSON, and a client that accepts JSON and event streams gets JSON", async () => {
  const { site_key } = await verifiedSite();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const accept = "application/json, text/event-stream";
  const send = (type: string) =>
    ask("POST", `/v1/mcp/${site_key}`, { headers: { accept, "content-type": type }, body });
  for (const type of ["application/json", "application/json; charset=utf-8"]) {
    const { status, headers } = await send(type);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  }
  expect((await send("text/plain")).status).toBe(415);
});

test("[1.6-c 4.1.9-b] tools/list has exactly the live skills of the card", async () => {
  const { site, live } = await siteWithSkills();
  const { tools } = (await rpc(site.site_key, "tools/list")).body.result;
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(live.map(({ id }) => id));
  const card = (await ask("GET", pathsOf(site).card)).body;
  type Named = { id?: string; name: string; title?: string; description: string };
  const words = ({ name, title, description }: Named) => [name, title, description];
  expect(tools.map(words)).toEqual(
    card.skills.map(({ id, name, description }: Named) => [id, name, description]),
  );
});

const BUILT_IN = [
  "get_pricing",
  "request_demo",
  "sign_up",
  "book_meeting",
  "contact_support",
  "get_status",
  "get_trust_center",
];

test("[1.6-g 1.6-h] each built-in skill answers with a link to its page on the site", async () => {
  const site = await verifiedSite();
  const url = (id: string) => `https://${site.domain}/pages/${id}`;
  await setSkills(
    site,
    BUILT_IN.map((id) => ({ id, enabled: true, url: url(id) })),
  );
  for (const id of BUILT_IN) {
    const { result } = (await callTool(site.site_key, id, { question: "Where?" })).body;
    expect(result.structuredContent).toMatchObject({ skill: id, url: url(id) });
    expect(result.content[0].text).toContain(url(id));
    expect(result.content[1]).toMatchObject({ type: "resource_link", uri: url(id), name: id });
  }
});

test("[4.1.9-c] tools/call answers, and reports a tool or an argument that does not exist", async () => {
  const { site } = await siteWithSkills();
  const good = await callTool(site.site_key, "get_pricing");
  expect(good.body.result.isError).toBe(false);
  const odd = await callTool(site.site_key, "get_pricing", { budget: 5 });
  expect(odd.body.result).toMatchObject({ isError: true, content: [{ type: "text" }] });
  for (const name of ["sign_up", "place_order", "toString"]) {
    expect((await callTool(site.site_key, name)).body.error.code).toBe(-32602);
  }
});

test("[1.5-b 4.1.9-d 6.2-b] every tools/call is in the signed log, whatever its result", async () => {
  const { site } = await siteWithSkills();
  const headers = await openSession(site.site_key);
  await callTool(site.site_key, "get_pricing", {}, headers);
  await callTool(site.site_key, "get_pricing", { budget: 5 }, headers);
  // A name that is not the site's own is a stranger's word: the record holds a commitment to it.
  await callTool(site.site_key, "no_such_tool");
  await rpc(site.site_key, "tools/call", { name: 5 });
  const entries = await recordedCalls(site);
  expect(entries.map(({ record }) => [record.tool.name, record.tool.outcome])).toEqual([
    ["get_pricing", "answered"],
    ["get_pricing", "refused"],
    [undefined, "refused"],
    [undefined, "refused"],
  ]);
  expect(entries[2]?.record.tool.name_commitment).toMatch(/^[0-9a-f]{64}$/);
  const keys = await auditKeys();
  expect(entries.every((entry) => recordHolds(entry, keys))).toBe(true);
});

test("[4.1.9-e] MCP responses carry no signature", async () => {
  const { site } = await siteWithSkills();
  for (const method of ["initialize", "tools/list", "tools/call"]) {
    const params = { ...INITIALIZE, name: "get_pricing" };
    const { headers, text } = await rpc(site.site_key, method, params);
    const names = [...headers.keys()].filter((name) => /signature|digest|jws/.test(name));
    expect([names, /"(sig|signature|signatures|signing)"/.test(text)]).toEqual([[], false]);
  }
});

test("[5-d] MCP needs no authentication, and ignores any that is sent", async () => {
  const { site } = await siteWithSkills();
  for (const headers of [{}, { authorization: "Bearer of nothing", cookie: "a=b" }]) {
    const { status, body } = await callTool(site.site_key, "get_pricing", {}, headers);
    expect([status, body.result.isError]).toEqual([200, false]);
  }
});

test("[7-m] a session with too many calls gets rate_limited and how long to wait", async () => {
  const { site } = await siteWithSkills();
  const headers = await openSession(site.site_key);
  const call = () => callTool(site.site_key, "get_pricing", {}, headers);
  let answer = await call();
  for (let calls = 1; answer.body.error === undefined && calls < 200; calls++)
    answer = await call();
  expect([answer.status, answer.body.error.message]).toEqual([200, "rate_limited"]);
  const { error, retry_after_seconds } = answer.body.error.data;
  expect([error, Number.isInteger(retry_after_seconds)]).toEqual(["rate_limited", true]);
  expect(retry_after_seconds).toBeGreaterThan(0);
  expect(answer.headers.get("retry-after")).toBe(String(retry_after_seconds));
});
