import { onTestFinished } from "vitest";
import type { Overrides } from "../../src/context.ts";
import type { Dialect } from "../../src/infra/db/database.ts";
import { createSite, freshEnvironment, startServer } from "../harness.ts";
import { send as post, type TestAnswer } from "../http-client.ts";

export const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "tester", version: "1.2.3" },
};

const SKILLS = [
  { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
  { id: "sign_up", enabled: true, url: "https://shop.example.com/join" },
];

interface ShopOptions {
  readonly dialect?: Dialect;
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: Overrides;
}

/** A server with one site that has two skills, and ways to ask its MCP server. */
export async function mcpShop({ dialect = "sqlite", env = {}, overrides = {} }: ShopOptions = {}) {
  const server = await startServer({ ...(await freshEnvironment(dialect)), ...env }, overrides);
  const site = await createSite(server, "shop.example.com");
  const admin = `/v1/admin/sites/${site.site_key_hash}`;
  await server.admin("PUT", `${admin}/skills`, { skills: SKILLS });
  const url = `${server.url}/v1/mcp/${site.site_key}`;

  /** Sends any body, with any headers. */
  async function send(body: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
    const type = { "content-type": "application/json" };
    return post(url, { method: "POST", headers: { ...type, ...headers }, body });
  }
  const rpc = (method: string, params: unknown = {}, headers: Record<string, string> = {}) =>
    send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers);
  return {
    server,
    site,
    admin,
    url,
    send,
    rpc,
    call: (headers: Record<string, string> = {}, name = "get_pricing", args: unknown = {}) =>
      rpc("tools/call", { name, arguments: args }, headers),
    async session(): Promise<Record<string, string>> {
      const { headers } = await rpc("initialize", INITIALIZE);
      const id = headers.get("mcp-session-id");
      return id === null ? {} : { "mcp-session-id": id };
    },
    /** The records of calls, oldest first. */
    async calls() {
      const { body } = await server.admin("GET", `${admin}/audit/records?from_seq=0&limit=200`);
      // biome-ignore lint/suspicious/noExplicitAny: the tests read what they expect
      const records: any[] = body.items.map(({ record }: { record: unknown }) => record);
      return records.filter(({ type }) => type === "mcp.tools_call");
    },
  };
}

/** Requests from an address of one's choice, through a proxy this server trusts. */
export const TRUSTED_PROXY = { GATEHOUSE_TRUST_PROXY: "127.0.0.1" };
export const from = (address: string) => ({ "x-forwarded-for": address });

/** Closes a client when the test is over. */
export function closing<T extends { close(): Promise<void> }>(client: T): T {
  onTestFinished(() => client.close());
  return client;
}
