import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAgent, type TestAgent } from "../../../scripts/signing-agent.mjs";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { bundleWorker } from "./bundle-worker.ts";
import {
  DOCUMENTS,
  EXPIRED,
  expired,
  type GateMode,
  type Listening,
  serve,
  startGate,
  until,
} from "./harness.ts";
import { startWorker } from "./start-worker.ts";

const SITE = "https://shop.example.com";
const AGENT = "https://agent.example.com";
let server: TestServer;
let gate: Awaited<ReturnType<typeof startGate>>;
let origin: Listening;
let agent: TestAgent;
// biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
let site: any;
let edgeToken = "";
let worker: Miniflare;
/** Requests that reached the site. */
let reached: string[] = [];
/** What the Worker wrote to its log. */
const said: string[] = [];

const PAGE = Buffer.from("<!doctype html><title>Prices</title><p>24 €\r\n\u0000 end");

beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  gate = await startGate(server.url);
  agent = await createAgent();
  origin = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { "x-own": own = "" } = request.headers;
    reached.push(`${request.method} ${request.url} ${own} ${Buffer.concat(chunks)}`.trim());
    if (request.url === "/moved") {
      response.writeHead(302, { location: "/prices", "set-cookie": ["a=1", "b=2"] }).end();
      return;
    }
    response.writeHead(request.url === "/broken" ? 500 : 200, {
      "content-type": "text/html",
      "x-shop": "Fern",
    });
    response.end(PAGE);
  });
});
afterAll(async () => {
  await worker?.dispose();
  await gate.close();
  await origin.close();
  await cleanUp();
});

/** A Worker in workerd before the site, with a memory and a cache of its own. */
async function freshWorker(bindings: Record<string, string> = {}): Promise<void> {
  await worker?.dispose();
  worker = await startWorker({
    bindings: {
      GATEHOUSE_URL: gate.url,
      GATEHOUSE_SITE_KEY_HASH: site.site_key_hash,
      GATEHOUSE_EDGE_TOKEN: edgeToken,
      ...bindings,
    },
    siteHost: new URL(SITE).host,
    origin: origin.url,
    directory: { origin: AGENT, keys: [agent.jwk] },
    said: (text) => said.push(text),
  });
}

beforeEach(async () => {
  gate.mode = "up";
  gate.rewrite = (text) => text;
  gate.asked = [];
  reached = [];
  site = await createSite(server, "shop.example.com");
  const path = `/v1/admin/sites/${site.site_key_hash}/edge-tokens`;
  edgeToken = (await server.admin("POST", path, { name: "worker" })).body.token;
});

const ask = (path: string, init: Record<string, unknown> = {}) =>
  worker.dispatchFetch(SITE + path, { redirect: "manual", ...init });

/** The visits Gatehouse knows, when there are so many. */
const visits = (count: number) =>
  until(async () => {
    const path = `/v1/admin/sites/${site.site_key_hash}/visits`;
    const { items } = (await server.admin("GET", path)).body;
    return items.length >= count ? items : undefined;
  });

test("the Worker is small enough to deploy, as one module without Node's libraries", async () => {
  const code = await bundleWorker();
  expect(code).not.toMatch(/from\s*"node:/);
  expect(code.length).toBeLessThan(300_000);
});

describe("in workerd, documents on the site's own domain", () => {
  test("have the service's bytes and cache rules, each at its own path", async () => {
    await freshWorker();
    for (const [path, source] of DOCUMENTS) await expectDocument(path, source);
  });

  async function expectDocument(path: string, source: string): Promise<void> {
    const theirs = await fetch(server.url + source.replace("{hash}", site.site_key_hash));
    const ours = await ask(path);
    expect([path, ours.status]).toEqual([path, 200]);
    expect(await ours.text()).toBe(await theirs.text());
    for (const name of [
      "content-type",
      "cache-control",
      "etag",
      "vary",
      "link",
      "access-control-allow-origin",
    ]) {
      expect([name, ours.headers.get(name)]).toEqual([name, theirs.headers.get(name)]);
    }
    expect(reached).toEqual([]);
    const etag = ours.headers.get("etag") as string;
    const again = await ask(path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const head = await ask(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  }

  test("are served as Markdown on request, and cached separately", async () => {
    await freshWorker();
    const page = await ask("/agent", { headers: { accept: "text/html" } });
    const markdown = await ask("/agent", { headers: { accept: "text/markdown" } });
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(markdown.headers.get("content-type")).toMatch(/^text\/markdown/);
    expect((await markdown.text()).startsWith("# ")).toBe(true);
    expect((await (await ask("/agent")).text()).startsWith("<!doctype")).toBe(true);
  });

  test("are cached: Gatehouse is asked once, and not while it is down and the copy is fresh", async () => {
    await freshWorker();
    const first = await (await ask("/llms.txt")).text();
    for (let n = 0; n < 5; n++) await (await ask("/llms.txt")).text();
    expect(gate.asked.filter((line) => line.includes("/v1/llms/"))).toHaveLength(1);
    gate.mode = "failing";
    expect(await (await ask("/llms.txt")).text()).toBe(first);
  });

  test("are not served after their signature has expired, and the agent page is served without its card", async () => {
    await freshWorker();
    gate.rewrite = expired;
    for (const [path, status] of Object.entries(EXPIRED)) {
      // Twice: from Gatehouse, and from what was kept.
      for (const answer of [await ask(path), await ask(path)]) {
        const text = await answer.text();
        expect([path, answer.status]).toEqual([path, status]);
        if (status === 503) {
          expect(answer.headers.get("retry-after")).toBe("5");
          expect(text).not.toContain("signature");
        }
        if (path === "/agent") expect(text).not.toContain('id="agent-card"');
      }
    }
    expect(reached).toEqual([]);
  });

  test("are left to the site if the owner says so, and until the domain is verified", async () => {
    await freshWorker({ GATEHOUSE_EXCEPT: "/agent, /llms.txt" });
    for (const path of ["/agent", "/llms.txt"])
      expect(await bytesOf(await ask(path))).toEqual(PAGE);
    expect((await ask("/.well-known/acp.json")).headers.get("content-type")).toMatch(/json/);
    site = await createSite(server, "shop.example.com", false);
    await freshWorker();
    expect(await bytesOf(await ask("/llms.txt"))).toEqual(PAGE);
  });
});

const bytesOf = async (response: { arrayBuffer(): Promise<ArrayBuffer> }) =>
  Buffer.from(await response.arrayBuffer());

describe("in workerd, every other request", () => {
  test("reaches the site unchanged, and so does the answer", async () => {
    await freshWorker();
    const page = await ask("/prices?colour=red", { headers: { "x-own": "kept" } });
    expect([page.status, page.headers.get("x-shop"), await bytesOf(page)]).toEqual([
      200,
      "Fern",
      PAGE,
    ]);
    const posted = await ask("/agent", { method: "POST", body: "name=Robin" });
    expect(posted.status).toBe(200);
    const moved = await ask("/moved");
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "/prices"]);
    expect(moved.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect((await ask("/broken")).status).toBe(500);
    expect((await ask("/.well-known/other.json")).status).toBe(200);
    expect(reached).toEqual([
      "GET /prices?colour=red kept",
      "POST /agent  name=Robin",
      "GET /moved",
      "GET /broken",
      "GET /.well-known/other.json",
    ]);
  });

  test("is served while Gatehouse is down in any way, also at the paths of documents", async () => {
    const ways: GateMode[] = ["failing", "garbage", "resetting", "redirecting", "silent"];
    for (const way of ways) {
      // A new one each time: one that has failed does not ask again for some seconds.
      await freshWorker();
      gate.mode = way;
      gate.asked = [];
      for (const path of ["/prices", ...DOCUMENTS.map(([path]) => path)]) {
        const answer = await ask(path);
        expect([way, path, answer.status, await bytesOf(answer)]).toEqual([way, path, 200, PAGE]);
        expect(answer.headers.get("x-shop")).toBe("Fern");
      }
      const asked = gate.asked.filter((line) => line.startsWith("GET"));
      expect([way, asked.length]).toEqual([way, DOCUMENTS.length]);
    }
    await freshWorker();
    await gate.close();
    try {
      for (const path of ["/prices", "/llms.txt"])
        expect(await bytesOf(await ask(path))).toEqual(PAGE);
    } finally {
      gate = await startGate(server.url);
    }
  });

  test("is served by a Worker without settings or with wrong ones", async () => {
    for (const bindings of [
      { GATEHOUSE_URL: "" },
      { GATEHOUSE_SITE_KEY_HASH: "nonsense" },
      { GATEHOUSE_EDGE_TOKEN: "nonsense" },
      { GATEHOUSE_VISITS: "some" },
    ]) {
      await freshWorker(bindings as Record<string, string>);
      expect(await bytesOf(await ask("/llms.txt"))).toEqual(PAGE);
      await until(async () =>
        said.join("").includes("gatehouse: not active: `") ? true : undefined,
      );
      said.length = 0;
    }
    expect(gate.asked).toEqual([]);
  });
});

describe("in workerd, a Worker that is the site itself", () => {
  test("keeps its own refusals and its own pages", async () => {
    const entry = `import { withGatehouse } from "./packages/edge/src/workers/worker.ts";
      export default withGatehouse({
        fetch(request) {
          if (request.headers.get("authorization") === null) throw new Error("refused");
          return new Response("for members");
        },
      });`;
    const wrapped = await startWorker({
      bindings: { GATEHOUSE_URL: gate.url, GATEHOUSE_SITE_KEY_HASH: site.site_key_hash },
      siteHost: new URL(SITE).host,
      origin: origin.url,
      directory: { origin: AGENT, keys: [] },
      entry,
    });
    try {
      const refused = await wrapped.dispatchFetch(`${SITE}/admin`);
      expect([refused.status, await refused.text()]).toEqual([
        500,
        expect.not.stringContaining("Prices"),
      ]);
      expect(reached).toEqual([]);
      const headers = { authorization: "Bearer member" };
      expect(await (await wrapped.dispatchFetch(`${SITE}/admin`, { headers })).text()).toBe(
        "for members",
      );
    } finally {
      await wrapped.dispose();
    }
  });
});

describe("in workerd, visits", () => {
  test("with a valid signature are marked as a verified agent's, in both forms of the header", async () => {
    await freshWorker();
    for (const legacy of [false, true]) {
      const headers = await agent.sign(`${SITE}/prices`, { origin: AGENT, legacy });
      expect((await ask("/prices?who=me", { headers })).status).toBe(200);
    }
    for (const visit of await visits(2)) {
      expect(visit).toMatchObject({
        classification: "verified_agent",
        agent: { name: "agent.example.com" },
        signature: { outcome: "verified", key_id: agent.thumbprint },
        page_url: `${SITE}/prices`,
        source: "edge",
      });
    }
  });

  test("with an invalid signature are marked as such, and the page is served", async () => {
    await freshWorker();
    const headers = await agent.sign("https://other.example.com/", { origin: AGENT });
    const page = await ask("/prices", { headers: { ...headers, "user-agent": "GPTBot/1.2" } });
    expect(await bytesOf(page)).toEqual(PAGE);
    const [visit] = await visits(1);
    expect(visit).toMatchObject({
      classification: "declared_agent",
      agent: { name: "GPTBot" },
      signature: { outcome: "invalid", reason: "verification_failed" },
    });
  });

  test("are of pages and documents, not of images, redirects or prefetches", async () => {
    await freshWorker();
    const browser = { "user-agent": "Mozilla/5.0 Firefox/140.0", accept: "text/html" };
    await ask("/moved", { headers: browser });
    await ask("/prices", { headers: { ...browser, "sec-purpose": "prefetch" } });
    await ask("/broken", { headers: browser });
    await ask("/llms.txt", { headers: { "user-agent": "ClaudeBot/1.0" } });
    await ask("/prices", { headers: browser });
    const seen = (await visits(2)).map(
      ({ classification, page_url }: { classification: string; page_url: string }) =>
        `${classification} ${new URL(page_url).pathname}`,
    );
    expect(seen.sort()).toEqual(["declared_agent /llms.txt", "person /prices"]);
    expect(gate.asked.filter((line) => line.includes("/v1/edge/")).length).toBeLessThan(3);
  });

  test("by people are left out if the owner wants only agents, and no visit is reported without a token", async () => {
    await freshWorker({ GATEHOUSE_VISITS: "agents" });
    await ask("/prices", { headers: { "user-agent": "Mozilla/5.0 Firefox/140.0" } });
    await ask("/prices", { headers: { "user-agent": "GPTBot/1.2" } });
    const seen = await visits(1);
    expect(seen).toMatchObject([{ agent: { name: "GPTBot" } }]);
    await freshWorker({ GATEHOUSE_EDGE_TOKEN: "" });
    gate.asked = [];
    await ask("/prices", { headers: { "user-agent": "GPTBot/1.2" } });
    await ask("/llms.txt");
    expect(gate.asked).toEqual([`GET /v1/llms/${site.site_key_hash}.txt`]);
  });
});
