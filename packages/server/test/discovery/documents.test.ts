import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { answerOf, cleanUp, createSite, freshEnvironment, raw, startServer } from "../harness.ts";
import { documentPaths, publishedSite } from "./published.ts";

const MINUTE = "public, max-age=60";
const JSON_TYPE = "application/json; charset=utf-8";
const EXPECTED = [
  ["card", JSON_TYPE, MINUTE, "either"],
  ["a2a", JSON_TYPE, MINUTE, "either"],
  ["catalog", JSON_TYPE, MINUTE, "either"],
  ["ard", JSON_TYPE, MINUTE, "either"],
  ["llms", "text/plain; charset=utf-8", MINUTE, "hash"],
  ["page", "text/html; charset=utf-8", MINUTE, "hash"],
  ["did", "application/did+json; charset=utf-8", "no-store", "hash"],
  ["acp", JSON_TYPE, "no-store", "hash"],
  ["mcpServerCard", "application/mcp-server-card+json; charset=utf-8", "no-store", "either"],
  ["robots", "text/plain; charset=utf-8", "no-store", "hash"],
] as const;

let server: Awaited<ReturnType<typeof startServer>>;
let shop: Awaited<ReturnType<typeof publishedSite>>;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  shop = await publishedSite(server);
  return cleanUp;
});

const at = (path: string, init?: RequestInit) => fetch(server.url + path, init).then(answerOf);
const withHash = (path: string) => path.replace(shop.site.site_key, shop.site.site_key_hash);
/** Headers that differ from answer to answer, or are the connection's. */
const PASSING = ["date", "x-request-id", "connection", "keep-alive", "transfer-encoding"];
const lasting = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => !PASSING.includes(name)));

describe.each(EXPECTED)("the document %s", (name, type, cache, naming) => {
  test("is served to every origin with its type, its cache rule and a strong ETag", async () => {
    const { status, headers } = await shop.get(name);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("cache-control")).toBe(cache);
    expect(headers.get("etag")).toMatch(/^"[\w-]{20,}"$/);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("is the same from the cache, from the router, and by either name of the site", async () => {
    const paths = [shop.paths[name], `${shop.paths[name]}?x=1`, shop.paths[name]];
    const both = naming === "either" ? [...paths, withHash(shop.paths[name])] : paths;
    const answers = await Promise.all(both.map((path) => at(path)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(answers[0]?.body);
      expect(lasting(answer.headers)).toEqual(lasting((answers[0] as typeof answer).headers));
    }
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is found by the site key only if the contract says so", async () => {
    const { site_key, site_key_hash } = shop.site;
    const byKey = shop.paths[name].replace(site_key_hash, site_key);
    expect((await at(byKey)).status).toBe(naming === "either" ? 200 : 404);
  });

  test.each(["", "?x=1"])("answers HEAD like GET, without a body%s", async (query) => {
    const path = shop.paths[name] + query;
    const got = await at(path);
    const head = await at(path, { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, ""]);
    expect(lasting(head.headers)).toEqual(lasting(got.headers));
  });

  test.each(["", "?x=1"])("is not sent again to a client that has it%s", async (query) => {
    const path = shop.paths[name] + query;
    const etag = (await at(path)).headers.get("etag") as string;
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await at(path, { headers: { "if-none-match": match } });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", etag]);
      expect(again.headers.get("cache-control")).toBe(cache);
      expect(again.headers.get("access-control-allow-origin")).toBe("*");
    }
    const other = await at(path, { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  test("answers preflights, and refuses other methods before it looks up the site", async () => {
    for (const path of [shop.paths[name], shop.paths[name].replace(/[\w-]{43,}/, "A".repeat(43))]) {
      const preflight = await at(path, { method: "OPTIONS" });
      expect([preflight.status, preflight.headers.get("allow")]).toEqual([
        204,
        "GET, HEAD, OPTIONS",
      ]);
      const posted = await at(path, { method: "POST", body: "{}" });
      expect([posted.status, posted.headers.get("allow"), posted.body.error]).toEqual([
        405,
        "GET, HEAD, OPTIONS",
        "method_not_allowed",
      ]);
    }
  });

  test("of an unknown site answers 404 not_found, and is not cached", async () => {
    const unknown = documentPaths({
      site_key: `us_${"A".repeat(43)}`,
      site_key_hash: "B".repeat(43),
    });
    const { status, body, headers } = await at(unknown[name]);
    expect([status, body.error, headers.get("cache-control")]).toEqual([
      404,
      "not_found",
      "no-store",
    ]);
    expect(body.docs_url).toBe(`${server.url}/docs/errors/not-found.md`);
  });

  test("of a pending site says that, and nothing in the site's name", async () => {
    const site = await createSite(server, `pending-${name.toLowerCase()}.example.com`, false);
    const { status, body, headers } = await at(documentPaths(site)[name]);
    expect([status, headers.get("cache-control")]).toEqual([404, "no-store"]);
    expect(body).toEqual({
      status: "pending_verification",
      domain: site.domain,
      message: "The site's domain is not verified yet. Its owner can verify it.",
      docs_url: `${server.url}/docs/errors/pending-verification.md`,
    });
    expect((await at(new URL(body.docs_url).pathname)).body).toContain("# `pending_verification`");
  });

  test("of a pending site is a readable page for a person who opens the agent page", async () => {
    const site = await createSite(server, `seen-${name.toLowerCase()}.example.com`, false);
    const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
    const paths = [documentPaths(site)[name]];
    if (name === "page") paths.push(`/v1/agent/domain/${site.domain}`);
    for (const path of paths) {
      const { status, body, headers } = await at(path, browser);
      expect([status, headers.get("cache-control")]).toEqual([404, "no-store"]);
      if (name !== "page") {
        expect(body.status).toBe("pending_verification");
        continue;
      }
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(body).toContain(`<h1><bdi>${site.domain}</bdi> is not verified yet</h1>`);
      const program = await at(path, { headers: { accept: "application/json" } });
      expect(program.body.status).toBe("pending_verification");
    }
  });

  test("of a deleted site is gone", async () => {
    const gone = await publishedSite(server, `gone-${name.toLowerCase()}.example.com`);
    expect((await gone.get(name)).status).toBe(200);
    await server.admin("DELETE", gone.admin);
    expect((await gone.get(name)).status).toBe(404);
  });
});

test("a path with another extension, or in another place, answers 404", async () => {
  const { site_key: key, site_key_hash: hash } = shop.site;
  for (const path of [
    `/v1/agent/${hash}.php`,
    `/v1/agent/${hash}.json`,
    `/v1/agent-card/${key}.txt`,
    `/v1/agent-card/${key}.foo/a2a.json`,
    `/v1/mcp/${key}.json/server-card`,
    `/v1/llms/${hash}.txt.txt`,
    `/v1/agent-card/${key}.json/`,
    `/v1/agent-card/${key}.JSON`,
  ]) {
    expect([path, (await at(path)).status]).toEqual([path, 404]);
  }
});

test("a document without a valid Host is refused, cached or not", async () => {
  await shop.get("card");
  for (const host of [
    "",
    "Host: a b\r\n",
    "Host: <x>\r\n",
    "Host: ::::\r\n",
    "Host: x:99999\r\n",
  ]) {
    for (const query of ["", "?x=1"]) {
      const head = `GET ${shop.paths.card}${query} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
      expect(await raw(server.port, head)).toMatch(/^HTTP\/1\.1 400 /);
    }
  }
});

test("a client that pipelines requests for documents without reading is disconnected", async () => {
  await shop.get("page");
  const request = `GET ${shop.paths.page} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const answer = await raw(server.port, request.repeat(500)).catch(() => "reset");
  expect(answer.split("HTTP/1.1 200").length).toBeLessThan(100);
  const few = await raw(
    server.port,
    request.repeat(20) + request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
  );
  expect(few.split("HTTP/1.1 200").length - 1).toBe(21);
});

test("a stopping process still sends answers that a slow client has not read yet", async () => {
  const own = await startServer(await freshEnvironment("sqlite"));
  const description = "\u{1f337}".repeat(140);
  const skills = Array.from({ length: 50 }, (_, i) => ({
    id: `s${i}`,
    enabled: true,
    description,
    url: `https://shop.example.com/${"x".repeat(1900)}${i}`,
  }));
  const fat = await publishedSite(own, "fat.example.com", skills);
  const length = Buffer.byteLength((await fat.get("page")).body);
  const socket = connect(own.port, "127.0.0.1").pause();
  const request = `GET ${fat.paths.page} HTTP/1.1\r\nHost: x\r\n\r\n`;
  await once(socket, "connect");
  const answers = () =>
    Number(/discovery",method="GET",status="200"\} (\d+)/.exec(own.context.metrics.render())?.[1]);
  const before = answers();
  socket.write(request.repeat(20));
  while (answers() < before + 20) await new Promise(setImmediate);
  const stopped = own.stop();
  let taken = 0;
  socket.on("data", (chunk: Buffer) => {
    taken += chunk.length;
  });
  socket.resume();
  await Promise.all([once(socket, "close"), stopped]);
  expect(taken).toBeGreaterThan(20 * length);
});

test("documents are counted in the metrics like every other answer", async () => {
  const counted = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const line = /requests_total\{area="discovery",method="GET",status="200"\} (\d+)/.exec(text);
    return { answers: Number(line?.[1]), bytes: Number(/document_bytes (\d+)/.exec(text)?.[1]) };
  };
  const before = await counted();
  for (let i = 0; i < 3; i++) await shop.get("card");
  await at(`${shop.paths.card}?x=1`);
  const after = await counted();
  expect(after.answers - before.answers).toBe(4);
  expect(after.bytes).toBeGreaterThan(1000);
});

test("an older key that looks like a hash identifies its site", async () => {
  const site_key = `sk_${"k".repeat(40)}`;
  const made = await server.admin("POST", "/v1/admin/sites", {
    domain: "older.example.com",
    name: "Older",
    site_key,
  });
  const { site_key_hash } = made.body;
  const verify = { method: "operator", reason: "a test" };
  await server.admin("POST", `/v1/admin/sites/${site_key_hash}/verify`, verify);
  const card = await at(`/v1/agent-card/${site_key}.json`);
  expect([card.status, card.body.site?.domain]).toEqual([200, "older.example.com"]);
  expect((await at(`/v1/agent-card/${site_key_hash}.json`)).body).toEqual(card.body);
});

describe("the agent page", () => {
  test.each(["page", "llms"] as const)(
    "and llms.txt are served as Markdown on request: %s",
    async (name) => {
      const asked = await shop.get(name, { headers: { accept: "text/markdown, text/html;q=0.5" } });
      expect(asked.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(asked.headers.get("vary")).toBe("Accept");
      expect(asked.body).toMatch(/^# shop\.example\.com/);
      const spelt = await shop.get(name, { headers: { accept: "Text/Markdown" } });
      expect(spelt.headers.get("etag")).toBe(asked.headers.get("etag"));
      const usual = await shop.get(name);
      expect(usual.headers.get("etag")).not.toBe(asked.headers.get("etag"));
      for (const accept of [
        "text/html, text/plain, text/markdown;q=0.5",
        "text/*, text/markdown;q=0.1",
        "*/*, text/markdown;q=0.1",
        "text/markdown;q=0",
        "*/*",
      ]) {
        const other = await shop.get(name, { headers: { accept } });
        expect(other.headers.get("content-type")).not.toMatch(/markdown/);
        expect(other.headers.get("vary")).toBe("Accept");
      }
    },
  );

  test("says for each protocol whether it is supported", async () => {
    const page: string = (await shop.get("page")).body;
    expect(page).toMatch(/>MCP<\/a>[^\n]*live/);
    expect(page).not.toMatch(/>MCP<\/a>[^\n]*not served yet/);
  });

  test("can load only pictures and run nothing, and links to the machine-readable form", async () => {
    const { headers } = await shop.get("page");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; connect-src 'self'; img-src 'self' https:; base-uri 'none'/,
    );
    // The console shows it to its owner, and nobody else can.
    expect(policy).toContain("frame-ancestors 'self'");
    const links = [...(headers.get("link") ?? "").matchAll(/<([^>]+)>; rel="([\w-]+)"/g)];
    expect(links.map(([, , rel]) => rel)).toEqual(
      expect.arrayContaining(["canonical", "ard", "ai-catalog", "describedby", "api-catalog"]),
    );
    for (const [, url] of links) expect((await fetch(url as string)).status).toBe(200);
  });

  test("is found by the domain, in every spelling", async () => {
    const unicode = await publishedSite(server, "xn--bcher-kva.example.com");
    for (const [domain, path] of [
      ["shop.example.com", shop.paths.page],
      ["SHOP.Example.com.", shop.paths.page],
      ["b%C3%BCcher.example.com", unicode.paths.page],
    ]) {
      const answer = await at(`/v1/agent/domain/${domain}`, { redirect: "manual" });
      expect([answer.status, answer.headers.get("location")]).toEqual([302, server.url + path]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    expect((await at("/v1/agent/domain/unknown.example.com")).body.error).toBe("not_found");
    expect((await at("/v1/agent/domain/not%20a%20domain")).status).toBe(404);
    await createSite(server, "waiting.example.com", false);
    const waiting = await at("/v1/agent/domain/waiting.example.com");
    expect([waiting.status, waiting.body.status]).toEqual([404, "pending_verification"]);
  });
});

describe("the service", () => {
  test("has an API catalog whose links resolve", async () => {
    const { body, headers } = await at("/.well-known/api-catalog");
    expect(headers.get("content-type")).toMatch(/^application\/linkset\+json; profile="/);
    const [links] = JSON.parse(JSON.stringify(body)).linkset;
    for (const relation of ["service-desc", "service-doc", "status"]) {
      const answer = await fetch(links[relation][0].href);
      expect([relation, answer.status]).toEqual([relation, 200]);
      expect(answer.headers.get("content-type")).toMatch(/json|text/);
    }
  });

  test("has a security.txt with a contact and a date in the future", async () => {
    const { body, headers } = await at("/.well-known/security.txt");
    expect(headers.get("content-type")).toMatch(/^text\/plain; charset=utf-8/i);
    expect(body).toMatch(/^Contact: mailto:security@127\.0\.0\.1$/m);
    const expires = Date.parse(/^Expires: (.+)$/m.exec(body)?.[1] ?? "");
    expect(expires - server.context.clock.now()).toBeGreaterThan(30 * 86_400_000);
  });

  test("serves its own documentation, and no other file", async () => {
    const page = await at("/docs/guide/verify.md", { headers: { accept: "text/markdown" } });
    expect(page.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(page.body).toMatch(/^# Verify what a site says/);
    expect((await at("/docs", { redirect: "manual" })).headers.get("location")).toBe(
      "/docs/README.md",
    );
    for (const path of ["/docs/../package.json", "/docs/nowhere.md", "/docs/%2e%2e/README.md"]) {
      expect((await at(path)).status).toBe(404);
    }
  });

  test("refuses an A2A task at every address of a card, with JSON", async () => {
    const card = JSON.stringify((await shop.get("card")).body);
    const own = new Set(card.match(/http:\/\/127\.0\.0\.1:\d+[^"#\\]*/g));
    expect(own.size).toBeGreaterThan(7);
    const task = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message: {} } };
    for (const url of own) {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(task) });
      const body = (await answer.json()) as Record<string, { code?: number }> & {
        docs_url?: string;
      };
      const refused = answer.status >= 400 || body.error?.code === -32_601;
      expect([url, refused, "result" in body]).toEqual([url, true, false]);
      expect(JSON.stringify(body)).toContain(`${server.url}/docs/`);
    }
  });
});
