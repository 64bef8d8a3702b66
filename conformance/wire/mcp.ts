import { cart } from "../../packages/server/test/selling/selling.ts";
import type { World } from "../../packages/server/test/ucp/buying.ts";

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "recorder", version: "1.0.0" },
};

/** MCP: the handshake, every method, tools that answer and tools that refuse. */
export async function playMcp({ server, at, platform }: World): Promise<void> {
  const shop = await at.shop();
  const buyer = await at.buyer(shop);
  const url = `${server.url}/v1/mcp/${shop.site_key}`;
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
  const rpc = (method: string, params: unknown = {}, headers: Record<string, string> = {}) =>
    post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers);

  const started = await rpc("initialize", INITIALIZE);
  const session = { "mcp-session-id": started.headers.get("mcp-session-id") ?? "" };
  await rpc("initialize", { ...INITIALIZE, protocolVersion: "1999-01-01" });
  await rpc("initialize", {});
  await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), session);
  for (const method of ["ping", "tools/list", "resources/list", "prompts/list", "no/such"]) {
    await rpc(method, {}, session);
  }
  for (const body of ["", "{", "[]", "{}", '{"jsonrpc":"1.0"}']) await post(body);
  await rpc("tools/list", {}, { "mcp-session-id": "unknown" });
  await rpc("tools/list", {}, { "mcp-protocol-version": "1999-01-01" });
  await fetch(url);
  await fetch(url, { method: "DELETE", headers: session });
  await fetch(`${server.url}/v1/mcp/nobody`, { method: "POST", body: "{}" });

  const call = (name: string, args: unknown = {}, meta?: unknown) =>
    at.callTool(shop, args, meta, name);
  await call("get_pricing");
  await call("get_pricing", { surplus: true });
  await call("unknown_tool");
  const { arguments: wanted } = cart();
  await call("place_order", wanted);
  const signed = await at.signed(shop, buyer, { protocol: "mcp" });
  await call("place_order", wanted, { "dev.gatehouse/mandate": signed });
  const agent = { "ucp-agent": { profile: platform.profileUrl() } };
  for (const name of ["search_catalog", "lookup_catalog", "get_product", "create_cart"]) {
    await call(name, { meta: agent });
  }
  await call("search_catalog", { meta: agent, catalog: { query: "rose" } });
  await call("lookup_catalog", { meta: agent, catalog: { ids: ["rose", "nothing"] } });
}
