import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent, startDirectory, type TestAgent } from "../../../scripts/signing-agent.mjs";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { until } from "./harness.ts";
import { startExample } from "./start-example.ts";

const SITE = "https://shop.example.com";

let server: TestServer;
let directory: Awaited<ReturnType<typeof startDirectory>>;
let agent: TestAgent;
let shop: ChildProcess;
let url = "";
// biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
let site: any;

beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  directory = await startDirectory("agent.localhost");
  agent = await createAgent();
  directory.keys = [agent.jwk];
  site = await createSite(server, "shop.example.com");
  const path = `/v1/admin/sites/${site.site_key_hash}/edge-tokens`;
  const { body } = await server.admin("POST", path, { name: "plugin" });
  const settings = {
    GATEHOUSE_SITE: SITE,
    GATEHOUSE_URL: server.url,
    GATEHOUSE_SITE_KEY_HASH: site.site_key_hash,
    GATEHOUSE_EDGE_TOKEN: body.token,
  };
  ({ url, child: shop } = await startExample(settings, directory));
});
afterAll(async () => {
  shop?.kill("SIGKILL");
  await directory?.close();
  await cleanUp();
});

/** The visit to a path, when Gatehouse knows of it; every test asks for paths of its own. */
const visitTo = (path: string) =>
  until(async () => {
    const listed = `/v1/admin/sites/${site.site_key_hash}/visits`;
    const { items } = (await server.admin("GET", listed)).body;
    return items.find(({ page_url }: { page_url: string }) => page_url === SITE + path);
  });

test("a signature by another library verifies through Express, in both forms of the header", async () => {
  for (const [path, legacy] of [["/prices", false] as const, ["/", true] as const]) {
    const headers = await agent.sign(`${SITE}${path}`, { origin: directory.origin, legacy });
    const page = await fetch(`${url}${path}?who=me`, { headers });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
    expect(await visitTo(path)).toMatchObject({
      classification: "verified_agent",
      agent: { name: directory.host },
      signature: {
        outcome: "verified",
        reason: null,
        key_id: agent.thumbprint,
        agent_url: `${directory.origin}/.well-known/http-message-signatures-directory`,
      },
    });
  }
  expect(directory.asked).toBe(1);
});

test("a signature that fails is shown with its reason, and the page is served", async () => {
  const origin = directory.origin;
  const made = await agent.sign(`${SITE}/prices`, { origin });
  const cases: [Record<string, string>, string, string][] = [
    [await agent.sign("https://other.example.com/", { origin }), "invalid", "verification_failed"],
    [
      await agent.sign(`${SITE}/`, { origin, createdAt: Date.now() - 600_000 }),
      "invalid",
      "expired",
    ],
    [await agent.sign(`${SITE}/`, { origin, lifeS: 90_000 }), "invalid", "lives_too_long"],
    [{ ...made, "signature-agent": 'sig1="https://evil.example"' }, "unverified", "not_reachable"],
    [{ ...made, "signature-agent": 'other="https://evil.example"' }, "invalid", "missing_field"],
    [{ ...made, Signature: "sig1=:AAAA:" }, "invalid", "verification_failed"],
    [{ "signature-input": "garbage=(" }, "invalid", "malformed"],
    [await (await createAgent()).sign(`${SITE}/`, { origin }), "unverified", "unknown_key"],
  ];
  for (const [index, [headers]] of cases.entries()) {
    const sent = { ...headers, "user-agent": "GPTBot/1.2" };
    expect((await fetch(`${url}/failing/${index}`, { headers: sent })).status).toBe(404);
    expect((await fetch(`${url}/prices`, { headers: sent })).status).toBe(200);
  }
  for (const [index, [, outcome, reason]] of cases.entries()) {
    expect(await visitTo(`/failing/${index}`)).toMatchObject({
      classification: "declared_agent",
      agent: { name: "GPTBot" },
      signature: { outcome, reason },
    });
  }
});

test("a beacon that claims to be verified does not count as verified", async () => {
  const answer = await fetch(`${server.url}/v1/discovery/ingest`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      schema_version: "1",
      site_key: site.site_key,
      observed_at: new Date().toISOString(),
      identification: { user_agent: "SomeAgent/1.0", signature: { outcome: "verified" } },
      page_context: { url: `${SITE}/claimed` },
      signature: { outcome: "verified", key_id: agent.thumbprint, agent_url: directory.origin },
      classification: "verified_agent",
    }),
  });
  expect(answer.status).toBe(204);
  const path = `/v1/admin/sites/${site.site_key_hash}/visits`;
  const { items } = (await server.admin("GET", path)).body;
  const claimed = items.find(({ page_url }: { page_url: string }) => page_url.endsWith("/claimed"));
  expect([claimed.classification, claimed.signature]).toEqual(["suspected_automation", undefined]);
});

test("waiting visits are reported before the process ends", async () => {
  await (await fetch(`${url}/`, { headers: { "user-agent": "ClaudeBot/1.0" } })).text();
  shop.kill("SIGTERM");
  await once(shop, "close");
  const path = `/v1/admin/sites/${site.site_key_hash}/visits?agent=ClaudeBot`;
  expect((await server.admin("GET", path)).body.items).toHaveLength(1);
});
