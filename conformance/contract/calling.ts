import { type Answer, ask, askAsOperator, type Site } from "./asking.ts";
import type { Entry } from "./auditing.ts";

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** One JSON-RPC request to a site's MCP server, as the contract describes it. */
export function rpc(
  site: string,
  method: string,
  params: unknown = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return ask("POST", `/v1/mcp/${site}`, { headers: { ...HEADERS, ...headers }, body });
}

export const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "conformance", version: "1" },
};

/** The headers of a session of its own. */
export async function openSession(site: string): Promise<Record<string, string>> {
  const { headers } = await rpc(site, "initialize", INITIALIZE);
  return { "mcp-session-id": headers.get("mcp-session-id") as string };
}

export const callTool = (site: string, name: string, args: unknown = {}, headers = {}) =>
  rpc(site, "tools/call", { name, arguments: args }, headers);

/** The calls in a site's log, oldest first. */
export async function recordedCalls({ site_key_hash }: Site): Promise<readonly Entry[]> {
  const path = `/v1/admin/sites/${site_key_hash}/audit/records?from_seq=0&limit=200`;
  const { items } = (await askAsOperator("GET", path)).body;
  return items.filter(({ record }: Entry) => record.type === "mcp.tools_call");
}
