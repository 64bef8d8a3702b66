import {
  CallToolResultSchema,
  DiscoverResultSchema,
  InitializeResultSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCResultResponseSchema,
  ListToolsResultSchema,
} from "@modelcontextprotocol/core";
import { expect, test } from "vitest";
import { siteWithSkills } from "../contract/asking.ts";
import { INITIALIZE, rpc } from "../contract/calling.ts";

const STATELESS = "2026-07-28";

/** A request of the stateless revision, with everything it must say. */
function statelessly(
  site: string,
  method: string,
  params: Record<string, unknown> = {},
  more: Record<string, string> = {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  const headers = { "mcp-protocol-version": STATELESS, "mcp-method": method, ...name, ...more };
  return rpc(site, method, { ...params, _meta }, headers);
}

const CALL = { name: "get_pricing", arguments: {} };
const ODD_CALL = { name: "get_pricing", arguments: { budget: 5 } };

test("every result is valid by the official schemas, and invalid without a required member", async () => {
  const { site } = await siteWithSkills();
  const { site_key } = site;
  const results = [
    [InitializeResultSchema, "serverInfo", await rpc(site_key, "initialize", INITIALIZE)],
    [ListToolsResultSchema, "tools", await rpc(site_key, "tools/list")],
    [CallToolResultSchema, "content", await rpc(site_key, "tools/call", CALL)],
    [CallToolResultSchema, "content", await rpc(site_key, "tools/call", ODD_CALL)],
    [DiscoverResultSchema, "capabilities", await statelessly(site_key, "server/discover")],
    [ListToolsResultSchema, "tools", await statelessly(site_key, "tools/list")],
    [CallToolResultSchema, "content", await statelessly(site_key, "tools/call", CALL)],
    [CallToolResultSchema, "content", await statelessly(site_key, "tools/call", ODD_CALL)],
  ] as const;
  for (const [schema, needed, { body }] of results) {
    expect(JSONRPCResultResponseSchema.safeParse(body).error).toBeUndefined();
    expect(schema.safeParse(body.result).error).toBeUndefined();
    expect(schema.safeParse({ ...body.result, [needed]: 5 }).success).toBe(false);
  }
});

test("every error is valid by the official schema", async () => {
  const { site } = await siteWithSkills();
  const { site_key } = site;
  const version = { "mcp-protocol-version": "1999-01-01" };
  const errors = [
    [-32601, await rpc(site_key, "tools/none")],
    [-32601, await statelessly(site_key, "ping")],
    [-32602, await rpc(site_key, "tools/list", { cursor: "elsewhere" })],
    [-32602, await rpc(site_key, "tools/call", { name: "no_such_tool" })],
    [-32600, await rpc(site_key, "tools/list", [])],
    [-32022, await rpc(site_key, "tools/list", {}, version)],
    [-32602, await rpc(site_key, "tools/list", {}, { "mcp-protocol-version": STATELESS })],
    [-32020, await statelessly(site_key, "tools/list", {}, { "mcp-method": "tools/call" })],
  ] as const;
  for (const [code, { body }] of errors) {
    expect(JSONRPCErrorResponseSchema.safeParse(body).error).toBeUndefined();
    expect([code, body.id]).toEqual([body.error.code, 1]);
  }
});
