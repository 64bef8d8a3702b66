import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../scripts/signing-agent.mjs";
import { ManualClock } from "../../server/src/infra/clock.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { gatehouse, type Plugin, type PluginOptions } from "../src/node/plugin.ts";
import {
  DOCUMENTS,
  EXPIRED,
  type GateMode,
  type Listening,
  rawAnswer,
  serve,
  startGate,
  until,
} from "./harness.ts";

let server: TestServer;
let gate: Awaited<ReturnType<typeof startGate>>;
// biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
let site: any;
let edgeToken = "";
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
});
afterAll(cleanUp);
beforeEach(async () => {
  // Its own for every test: plugins of earlier ones still report.
  const own = await startGate(server.url);
  onTestFinished(() => own.close());
  gate = own;
  site = await createSite(server, "shop.example.com");
  const path = `/v1/admin/sites/${site.site_key_hash}/edge-tokens`;
  edgeToken = (await server.admin("POST", path, { name: "plugin" })).body.token;
});

const options = (more: Partial<PluginOptions> = {}): PluginOptions => ({
  site: "https://shop.example.com",
  gatehouse: gate.url,
  siteKeyHash: site.site_key_hash,
  edgeToken,
  warn: () => undefined,
  ...more,
});

/** The shop in Express, with whatever stands before it. */
function shopApp(...before: Plugin[]) {
  const app = express();
  for (const plugin of before) app.use(plugin);
  app.get("/prices", (_request, response) => void response.send("<p>24 €</p>"));
  app.get("/moved", (_request, response) => void response.redirect("/prices"));
  app.get("/stream", (_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html", "X-Own": ["a", "b"] });
    response.write("<p>one");
    response.end("two");
  });
  app.get("/logo.png", (_request, response) => void response.type("png").send(Buffer.from([1, 2])));
  app.post("/agent", express.text(), (request, response) => void response.send(request.body));
  return app;
}

async function front(app: RequestListener): Promise<Listening> {
  const listening = await serve(app);
  onTestFinished(() => listening.close());
  return listening;
}

async function shop(more: Partial<PluginOptions> = {}) {
  const plugin = gatehouse(options(more));
  return { plugin, ...(await front(shopApp(plugin))) };
}

const visits = (count: number) =>
  until(async () => {
    const path = `/v1/admin/sites/${site.site_key_hash}/visits?limit=200`;
    const { items } = (await server.admin("GET", path)).body;
    return items.length >= count ? items : undefined;
  });

describe("documents that the plugin serves on the site's own domain:", () => {
  test.each(DOCUMENTS)("%s has the service's bytes and cache rules", async (path, source) => {
    const { url } = await shop();
    const theirs = await fetch(server.url + source.replace("{hash}", site.site_key_hash));
    const ours = await fetch(url + path);
    expect([ours.status, await ours.text()]).toEqual([200, await theirs.text()]);
    const names = ["content-type", "cache-control", "etag", "vary", "link"];
    for (const name of names) {
      expect([name, ours.headers.get(name)]).toEqual([name, theirs.headers.get(name)]);
    }
    const etag = ours.headers.get("etag") as string;
    const again = await fetch(url + path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await fetch(url + path, { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
  });

  test("they are found only at their own paths below the plugin's mount point", async () => {
    const app = express();
    app.use("/shop", gatehouse(options()));
    app.use((_request, response) => void response.send("the shop's"));
    const { url } = await front(app);
    expect(await (await fetch(`${url}/shop/llms.txt`)).text()).toBe("the shop's");
  });

  test("they are fetched once for many requests at the same time", async () => {
    const { url } = await shop();
    await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/llms.txt`)));
    expect(gate.asked.filter((line) => line.includes("/v1/llms/"))).toHaveLength(1);
  });

  test("signed ones are served until they expire while Gatehouse cannot be reached, and others for a day", async () => {
    const clock = new ManualClock(Date.now());
    const { url } = await shop({ clock, edgeToken: undefined });
    const statuses = async () => {
      const all = Object.keys(EXPIRED).map(async (path) => (await fetch(url + path)).status);
      return Promise.all(all);
    };
    expect(new Set(await statuses())).toEqual(new Set([200]));
    const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
    const etag = (await fetch(`${url}/.well-known/agent-card.json`)).headers.get("etag") ?? "";
    gate.mode = "failing";
    clock.advance(Date.parse(card.signing.expires_at) - clock.now() - 5000);
    expect(new Set(await statuses())).toEqual(new Set([200]));
    // Catalog and page may have been signed a moment later.
    clock.advance(301_000);
    expect(await statuses()).toEqual(Object.values(EXPIRED));
    const path = `${url}/.well-known/agent-card.json`;
    const over = await fetch(path, { headers: { "if-none-match": etag } });
    expect([over.status, over.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(over.headers.get("cache-control")).toBe("no-store");
    expect(await over.json()).toMatchObject({ error: "unavailable" });
    const page = await fetch(`${url}/agent`);
    expect([page.headers.get("etag"), page.headers.get("cache-control")]).toEqual([
      null,
      "no-store",
    ]);
    const html = await page.text();
    expect(html).not.toContain('id="agent-card"');
    expect(html).toContain("<h1");
    clock.advance(24 * 3_600_000);
    for (const gone of ["/llms.txt", "/agent"]) {
      expect(await (await fetch(url + gone)).text()).toContain("Cannot GET");
    }
    gate.mode = "up";
    clock.advance(6000);
    expect((await fetch(`${url}/llms.txt`)).status).toBe(200);
  });

  test("they are refreshed when they are old, and served stale for a day without Gatehouse", async () => {
    const clock = new ManualClock(Date.now());
    const { url } = await shop({ clock, edgeToken: undefined });
    const text = async () => (await fetch(`${url}/llms.txt`)).text();
    const first = await text();
    clock.advance(301_000);
    expect(await text()).toBe(first);
    expect(gate.asked).toHaveLength(2);
    gate.mode = "failing";
    clock.advance(301_000);
    expect(await text()).toBe(first);
    expect(gate.asked).toHaveLength(3);
    expect(await text()).toBe(first);
    expect(gate.asked).toHaveLength(3);
    clock.advance(23 * 3_600_000);
    expect(await text()).toBe(first);
    clock.advance(3_600_000);
    expect(await text()).toContain("Cannot GET");
  });

  test("they are gone at once when Gatehouse no longer has the site", async () => {
    const clock = new ManualClock(Date.now());
    const { url } = await shop({ clock });
    const card = `${url}/.well-known/agent-card.json`;
    expect((await fetch(card)).status).toBe(200);
    await server.admin("DELETE", `/v1/admin/sites/${site.site_key_hash}`);
    clock.advance(61_000);
    expect((await fetch(card)).status).toBe(404);
    gate.mode = "failing";
    clock.advance(61_000);
    expect((await fetch(card)).status).toBe(404);
  });
});

describe("every other request to a site with the plugin", () => {
  const paths = ["/prices", "/prices?a=1", "/moved", "/stream", "/logo.png", "/none"];
  const near = [
    "/x/../llms.txt",
    "/x/%2e%2e/llms.txt",
    "/x\\..\\llms.txt",
    "/llms.txt/",
    "//llms.txt",
  ];
  const requests = [...paths, ...near].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: shop.example.com\r\nConnection: close\r\n\r\n`,
  );
  const posted =
    "POST /agent HTTP/1.1\r\nHost: shop.example.com\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
  const documents = DOCUMENTS.map(
    ([path]) => `GET ${path} HTTP/1.1\r\nHost: shop.example.com\r\nConnection: close\r\n\r\n`,
  );

  test("gets the same bytes as without it", async () => {
    const bare = await front(shopApp());
    const { port } = await shop();
    for (const request of [...requests, posted]) {
      expect(await rawAnswer(port, request)).toBe(await rawAnswer(bare.port, request));
    }
  });

  test.each(["failing", "garbage", "resetting", "redirecting"] as GateMode[])(
    "gets the same bytes while Gatehouse is %s, also at the paths of documents",
    async (mode) => {
      gate.mode = mode;
      const bare = await front(shopApp());
      const { port } = await shop();
      for (const request of [...requests, posted, ...documents]) {
        expect(await rawAnswer(port, request)).toBe(await rawAnswer(bare.port, request));
      }
      expect(gate.asked.filter((line) => line.startsWith("GET"))).toHaveLength(DOCUMENTS.length);
    },
  );

  test("gets the same bytes while nothing listens where Gatehouse was", async () => {
    const gone = await serve(() => undefined);
    await gone.close();
    const bare = await front(shopApp());
    const { port } = await shop({ gatehouse: gone.url });
    for (const request of [...requests, ...documents]) {
      expect(await rawAnswer(port, request)).toBe(await rawAnswer(bare.port, request));
    }
  });

  test("waits less than 300 ms for a silent Gatehouse, only at the documents, and not again soon", async () => {
    gate.mode = "silent";
    const clock = new ManualClock(Date.now());
    const { url } = await shop({ clock, edgeToken: undefined });
    expect(await (await fetch(`${url}/prices`)).text()).toBe("<p>24 €</p>");
    let answered = false;
    const asked = fetch(`${url}/llms.txt`).finally(() => {
      answered = true;
    });
    await until(async () => (gate.asked.length === 1 ? true : undefined));
    clock.advance(249);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    clock.advance(1);
    expect((await asked).status).toBe(404);
    // The next one does not wait at all.
    expect((await fetch(`${url}/llms.txt`)).status).toBe(404);
    // The question itself is given up after five seconds; until then nobody asks again.
    clock.advance(5_000);
    expect((await fetch(`${url}/llms.txt`)).status).toBe(404);
    expect(gate.asked).toHaveLength(1);
  });
});

describe("visits that the plugin reports", () => {
  const browser = { "user-agent": "Mozilla/5.0 Firefox/140.0", accept: "text/html" };

  test("are of pages and documents, even if the type is set at the last moment", async () => {
    const { url, plugin } = await shop();
    for (const path of ["/prices?who=me", "/stream", "/logo.png", "/moved", "/none"]) {
      await (await fetch(url + path, { headers: browser, redirect: "manual" })).text();
    }
    await (await fetch(`${url}/llms.txt`, { headers: { "user-agent": "GPTBot/1.2" } })).text();
    await plugin.flush();
    const seen = (await visits(3)).map(
      ({ classification, page_url }: { classification: string; page_url: string }) =>
        `${classification} ${page_url}`,
    );
    expect(seen.sort()).toEqual([
      "declared_agent https://shop.example.com/llms.txt",
      "person https://shop.example.com/prices",
      "person https://shop.example.com/stream",
    ]);
  });

  test("belong to the site whatever Host they came with, and to a subdomain by its own name", async () => {
    const { port, plugin } = await shop();
    const tricks = [
      "x\\llms.txt?.shop.example.com",
      "evil.example/x.shop.example.com",
      "a@b.shop.example.com",
    ];
    for (const host of ["evil.example", "www.shop.example.com", "", ...tricks]) {
      const head = `GET /prices HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: GPTBot/1\r\n`;
      await rawAnswer(port, `${head}Connection: close\r\n\r\n`);
    }
    await plugin.flush();
    const pages = (await visits(6)).map(({ page_url }: { page_url: string }) => page_url);
    expect(pages.sort()).toEqual([
      ...Array(5).fill("https://shop.example.com/prices"),
      "https://www.shop.example.com/prices",
    ]);
  });

  test("have only the path of a full address, without a password", async () => {
    const { port, plugin } = await shop();
    const target = "http://user:secret@shop.example.com/prices?x=1";
    const head = `GET ${target} HTTP/1.1\r\nHost: shop.example.com\r\n`;
    await rawAnswer(port, `${head}Connection: close\r\n\r\n`);
    const whole = "GET http://shop.example.com/llms.txt HTTP/1.1\r\nHost: shop.example.com\r\n";
    expect(await rawAnswer(port, `${whole}Connection: close\r\n\r\n`)).toContain("\r\n\r\n# ");
    await plugin.flush();
    const pages = JSON.stringify(await visits(1));
    expect(pages).toContain("https://shop.example.com/llms.txt");
    expect(pages).not.toContain("secret");
  });

  test("are sent in reports of at most a hundred, a second apart, and a lost report is not repeated", async () => {
    const clock = new ManualClock(Date.now());
    const warnings: string[] = [];
    const { url } = await shop({ clock, warn: (text) => warnings.push(text) });
    const ask = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async () =>
          (await fetch(`${url}/prices`, { headers: browser })).text(),
        ),
      );
    const reports = () =>
      gate.asked.filter((line) => line.startsWith(`POST /v1/edge/${site.site_key_hash}`)).length;
    await ask(3);
    await until(async () => {
      clock.advance(1_000);
      return reports() > 0 ? true : undefined;
    });
    expect(await visits(3)).toHaveLength(3);
    const before = reports();
    await ask(100);
    await visits(103);
    expect(reports()).toBe(before + 1);
    gate.mode = "failing";
    await ask(100);
    await until(async () => (warnings.length > 0 ? true : undefined));
    expect(warnings).toEqual(["100 visits were not reported: Gatehouse answered with 500"]);
    gate.mode = "up";
    clock.advance(10_000);
    expect(reports()).toBe(before + 2);
  });

  test("are the same over HTTP/2, without its pseudo-headers", async () => {
    const plugin = gatehouse(options());
    const server2 = createHttp2Server((request, response) =>
      plugin(request as never, response as never, () => {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<p>the shop's</p>");
      }),
    );
    await new Promise<void>((resolve) => server2.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server2.close());
    const { port } = server2.address() as AddressInfo;
    const client = connectHttp2(`http://127.0.0.1:${port}`);
    onTestFinished(() => client.close());
    const agent = await createAgent();
    const signed = await agent.sign("https://www.shop.example.com/", {
      origin: "https://a.example",
    });
    const stream = client.request({
      ":path": "/",
      ":authority": "www.shop.example.com",
      ...signed,
    });
    stream.resume();
    await once(stream, "end");
    await plugin.flush();
    const [visit] = await visits(1);
    expect(visit).toMatchObject({
      page_url: "https://www.shop.example.com/",
      signature: { outcome: "unverified", reason: "not_reachable" },
    });
  });

  test("keep no process alive, and need no Express", async () => {
    const plugin = gatehouse(options());
    const bare = createServer((request, response) =>
      plugin(request, response, () => response.end("the shop's")),
    );
    const { url } = await front((request, response) => bare.emit("request", request, response));
    expect(await (await fetch(`${url}/prices`)).text()).toBe("the shop's");
    expect((await fetch(`${url}/llms.txt`)).headers.get("content-type")).toMatch(/^text\/plain/);
  });
});

test("invalid options stop the application at its start, with an error that names them", () => {
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ gatehouse: "gate.example.com" }, /`gatehouse` must be the address/],
    [{ gatehouse: undefined }, /`gatehouse` is missing/],
    [{ gatehouse: "http://gate.example.com" }, /with https/],
    [{ siteKeyHash: "" }, /`siteKeyHash` is missing/],
    [{ exept: ["/agent"] }, /no option `exept`/],
    [{ siteKeyHash: "us_123" }, /`siteKeyHash` must be/],
    [{ edgeToken: "gha_operator-token-of-somebody" }, /`edgeToken` must be/],
    [{ except: ["agent"] }, /`except` must list/],
    [{ visits: "none" }, /`visits` must be/],
    [{ site: "shop.example.com" }, /`site` must be/],
    [{ site: undefined }, /`site` must be/],
  ];
  expect(() => gatehouse(options({ edgeToken: "", except: "/agent, /llms.txt" }))).not.toThrow();
  for (const [more, words] of wrong) {
    expect(() => gatehouse(options(more as Partial<PluginOptions>))).toThrow(words);
  }
});
