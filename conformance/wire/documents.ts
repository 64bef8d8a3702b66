import { createSite } from "../../packages/server/test/harness.ts";
import type { World } from "../../packages/server/test/ucp/buying.ts";

const MARKDOWN = { accept: "text/markdown" };
const NOBODY = "A".repeat(43);

const paths = (key: string, hash: string) => [
  `/v1/agent-card/${hash}.json`,
  `/v1/agent-card/${key}.json`,
  `/v1/agent-card/${hash}/a2a.json`,
  `/v1/catalog/${hash}.json`,
  `/v1/catalog/${hash}/ard.json`,
  `/v1/llms/${hash}.txt`,
  `/v1/agent/${hash}`,
  `/v1/did/${hash}.json`,
  `/v1/acp/${hash}.json`,
  `/v1/mcp/${key}/server-card`,
  `/v1/ucp/${hash}/profile`,
  `/v1/robots/${hash}.txt`,
  `/v1/audit/${hash}/checkpoint`,
];

const SHARED = [
  "/",
  "/healthz",
  "/readyz",
  "/docs",
  "/docs/guides/ucp.md",
  "/v1/openapi.json",
  "/.well-known/jwks.json",
  "/.well-known/audit-jwks.json",
  "/.well-known/api-catalog",
  "/.well-known/security.txt",
  "/v1/agent/domain/nobody.example",
  "/v1/nothing",
  "/console",
  "/v1/embed.js",
  "/robots.txt",
  "/favicon.ico",
  "/v1/admin/sites",
];

/** The documents of a site whose domain is not verified. */
export async function playUnverified({ server }: World): Promise<void> {
  const site = await createSite(server, "unverified.example.com", false);
  for (const path of paths(site.site_key, site.site_key_hash)) await fetch(server.url + path);
}

/** The documents of a site that sells, and of a site that does not exist. */
export async function playDocuments({ server, at }: World): Promise<void> {
  const shop = await at.shop();
  for (const path of paths(shop.site_key, shop.site_key_hash)) {
    const first = await fetch(server.url + path);
    const etag = first.headers.get("etag");
    if (etag !== null) await fetch(server.url + path, { headers: { "if-none-match": etag } });
    await fetch(server.url + path, { headers: MARKDOWN });
    await fetch(server.url + path, { method: "HEAD" });
  }
  for (const path of paths(NOBODY, NOBODY)) await fetch(server.url + path);
  for (const path of SHARED) await fetch(server.url + path);
  await fetch(`${server.url}/v1/agent/domain/shop-1.example.com`, { redirect: "manual" });
  const card = `${server.url}/v1/agent-card/${shop.site_key_hash}.json`;
  for (const method of ["POST", "DELETE", "OPTIONS"]) await fetch(card, { method });
  await fetch(card, { headers: { origin: "https://elsewhere.example" } });
  await fetch(card, {
    method: "OPTIONS",
    headers: { origin: "https://elsewhere.example", "access-control-request-method": "GET" },
  });
}
