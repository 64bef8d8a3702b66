import { beforeAll, describe, expect, test } from "vitest";
import { BODY_MS_MAX } from "../src/http/server/body.ts";
import { isPlainTarget } from "../src/http/server/path.ts";
import { ManualClock } from "../src/infra/clock.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  raw,
  startServer,
  type TestServer,
  whenWaiting,
} from "./harness.ts";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

describe("the rules of every route:", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    return cleanUp;
  });

  test("an unknown path answers 404 with the standard error, and repeats nothing of the request", async () => {
    const answer = await answerOf(await fetch(`${server.url}/%3Cscript%3E`));
    expect(answer.status).toBe(404);
    expect(Object.keys(answer.body)).toEqual(["error", "message", "docs_url", "request_id"]);
    expect(answer.body.error).toBe("not_found");
    expect(JSON.stringify(answer.body)).not.toContain("script");
    expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id);
  });

  test("every answer has a request id and nosniff, and errors are never cached", async () => {
    for (const path of ["/healthz", "/nowhere", "/v1/admin/sites"]) {
      const { headers } = await fetch(server.url + path);
      expect(headers.get("x-request-id")).toMatch(/^req_[A-Za-z0-9_-]{24}$/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test.each([
    ["/healthz", "GET, HEAD, OPTIONS"],
    ["/v1/admin/sites", "GET, HEAD, OPTIONS, POST"],
    ["/v1/admin/keys/rotate", "OPTIONS, POST"],
    [`/v1/admin/sites/${"A".repeat(43)}`, "DELETE, GET, HEAD, OPTIONS, PATCH"],
  ])(
    "a wrong method on %s answers 405 with Allow: %s, before checking token and site",
    async (path, allow) => {
      const answer = await answerOf(await fetch(server.url + path, { method: "PUT" }));
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
      expect(answer.body.error).toBe("method_not_allowed");
    },
  );

  test("HEAD works wherever GET does, with the same headers and no body", async () => {
    const [head, full] = await Promise.all([
      fetch(`${server.url}/openapi.json`, { method: "HEAD" }),
      fetch(`${server.url}/openapi.json`),
    ]);
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("etag")).toBe(full.headers.get("etag"));
    const wrong = await fetch(`${server.url}/v1/admin/keys/rotate`, { method: "HEAD" });
    expect(wrong.status).toBe(405);
  });

  test.each(["/healthz", "/openapi.json", "/nowhere/at/all"])(
    "OPTIONS on %s answers a preflight for any origin",
    async (path) => {
      const { status, headers } = await fetch(server.url + path, {
        method: "OPTIONS",
        headers: { origin: "https://a.example", "access-control-request-method": "GET" },
      });
      expect(status).toBe(204);
      expect(headers.get("allow")).toContain("OPTIONS");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-methods")).toBe(headers.get("allow"));
      expect(headers.get("access-control-allow-headers")).toContain("Content-Type");
      expect(headers.get("access-control-max-age")).toBe("600");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    },
  );

  test("scripts of other origins can read signatures and replays, and sign with Signature-Agent", async () => {
    const origin = { origin: "https://a.example" };
    const site = "A".repeat(43);
    const asked = [
      `/v1/ucp/${site}/checkout-sessions`,
      `/v1/m/us_${site}/mandate`,
      `/v1/mcp/${site}`,
    ];
    for (const path of asked) {
      const answer = await fetch(server.url + path, {
        method: "POST",
        headers: origin,
        body: "{}",
      });
      const exposed = answer.headers.get("access-control-expose-headers")?.split(", ");
      expect(exposed).toEqual(
        expect.arrayContaining([
          "Signature",
          "Signature-Input",
          "Content-Digest",
          "Idempotent-Replayed",
        ]),
      );
      const { headers } = await fetch(server.url + path, { method: "OPTIONS", headers: origin });
      const allowed = headers.get("access-control-allow-headers")?.split(", ");
      expect(allowed).toEqual(expect.arrayContaining(["Signature-Agent", "Signature-Input"]));
    }
  });

  test.each(["/v1/admin/sites", "/v1/admin/unknown", "/metrics"])(
    "%s allows other origins nothing, also in a preflight",
    async (path) => {
      for (const method of ["GET", "OPTIONS"]) {
        const { headers } = await fetch(server.url + path, {
          method,
          headers: { origin: "https://a.example" },
        });
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    },
  );

  test.each([
    ["a trailing slash", "/healthz/"],
    ["a doubled slash", "//healthz"],
    ["a dot segment", "/v1/../healthz"],
    ["an encoded dot segment", "/v1/%2e%2e/healthz"],
    ["an encoded slash", "/v1%2fadmin/sites"],
    ["an encoded backslash", "/v1%5cadmin/sites"],
    ["a backslash", "/v1\\admin"],
    ["a broken escape", "/%zz"],
    ["bytes that are not UTF-8", "/%ff%fe"],
    ["an encoded NUL", "/healthz%00"],
    ["an overlong path", `/${"a".repeat(5000)}`],
    ["an absolute form", "http://elsewhere.example/healthz"],
    ["an asterisk", "*"],
  ])("%s answers 404, and never reaches a route or throws", async (_name, target) => {
    const answer = await raw(server.port, get(target));
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toContain('"status":"ok"');
  });

  test.each([
    ["a Host that is no host", "GET /healthz HTTP/1.1\r\nHost: [bad\r\nConnection: close\r\n\r\n"],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
    ["garbage", "\u0000\u0001 not http\r\n\r\n"],
    ["an unknown method", "FETCH /healthz HTTP/1.1\r\nHost: x\r\n\r\n"],
    [
      "smuggling lengths",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
  ])("%s gets a plain refusal", async (_name, request) => {
    const answer = await raw(server.port, request);
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /);
    expect(answer).not.toMatch(/at .*\.(js|ts):\d+/);
  });

  test("headers over 16 KB answer 431", async () => {
    const big = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(17_000)}\r\n\r\n`;
    expect(await raw(server.port, big)).toMatch(/^HTTP\/1\.1 431 [\s\S]*"headers_too_large"/);
  });

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/v1/admin/sites`, {
      method: "POST",
      body,
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        "content-type": "application/json",
        ...headers,
      },
    }).then(answerOf);

  test.each([
    ["gzip", { "content-encoding": "gzip" }],
    ["text", { "content-type": "text/plain" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["another charset", { "content-type": "application/json; charset=latin1" }],
  ])("a body of %s answers 415", async (_name, headers) => {
    const answer = await post('{"domain":"a.example.com","name":"A"}', headers);
    expect([answer.status, answer.body.error]).toEqual([415, "unsupported_media_type"]);
  });

  test("a body over its limit answers 413, with and without a declared length", async () => {
    const big = `{"domain":"${"a".repeat(1024 * 1024)}"}`;
    expect((await post(big)).status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(65_536).fill(32));
        controller.close();
      },
    });
    const init = { method: "POST", body: stream, duplex: "half" };
    const headers = {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      "content-type": "application/json",
    };
    const answer = await fetch(`${server.url}/v1/admin/sites`, { ...init, headers } as RequestInit);
    expect(answer.status).toBe(413);
  });

  test.each([
    ["a duplicate key", '{"domain":"a.example.com","domain":"b.example.com","name":"A"}'],
    ["a broken body", '{"domain"'],
    ["an array", "[]"],
    ["an unknown field", '{"domain":"a.example.com","name":"A","admin":true}'],
    ["a wrong type", '{"domain":7,"name":"A"}'],
    [
      "a name of hidden characters only",
      '{"domain":"a.example.com","name":"\\u202e\\u200d\\u0007"}',
    ],
    ["an empty body where fields are required", ""],
  ])("%s answers 400 invalid_request", async (_name, body) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
    expect(answer.body.message).toMatch(/\.$/);
  });
});

test("a body that does not arrive in time answers 408", async () => {
  const clock = new ManualClock(NOON);
  const { port, context } = await startServer(await freshEnvironment("sqlite"), { clock });
  const waiting = whenWaiting(clock, BODY_MS_MAX);
  const answer = raw(
    port,
    `POST /v1/admin/sites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{"domain"',
  );
  await waiting;
  clock.advance(BODY_MS_MAX);
  expect(await answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*request_timeout/);
  await context.jobs.stop();
});

test("a mandate that does not arrive in time is rejected with 400, because its contract has no 408", async () => {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment("sqlite"), { clock });
  const { site_key } = await createSite(server, "shop.example.com");
  for (const path of ["mandate", "agents", "agents/challenge"]) {
    const waiting = whenWaiting(clock, BODY_MS_MAX);
    const answer = raw(
      server.port,
      `POST /v1/m/${site_key}/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        'Content-Length: 100\r\nConnection: close\r\n\r\n{"signed"',
    );
    await waiting;
    clock.advance(BODY_MS_MAX);
    const [head = "", body = ""] = (await answer).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toMatchObject({ outcome: "rejected", reason: "request_timeout" });
  }
  await server.context.jobs.stop();
});

test("a client that has the bytes gets 304 by their ETag", async () => {
  const { url } = await startServer(await freshEnvironment("sqlite"));
  const first = await fetch(`${url}/openapi.json`);
  const etag = first.headers.get("etag") as string;
  expect(etag).toMatch(/^"[A-Za-z0-9_-]{27}"$/);
  for (const match of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await fetch(`${url}/openapi.json`, { headers: { "if-none-match": match } });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
  }
  const other = await fetch(`${url}/openapi.json`, { headers: { "if-none-match": '"other"' } });
  expect(other.status).toBe(200);
});

test("only plain request targets count as paths", () => {
  for (const good of ["/", "/a/b", "/a?x=/../y", "/v1/agent/domain/caf%C3%A9.example"]) {
    expect(isPlainTarget(good)).toBe(true);
  }
  for (const bad of ["", "a", "/a//b", "/a/./b", "/..", "/a%2E%2e/b", "/a%0d%0a", "/a b", "/é"]) {
    expect(isPlainTarget(bad)).toBe(false);
  }
});
