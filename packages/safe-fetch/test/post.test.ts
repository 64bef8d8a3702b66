import { describe, expect, test } from "vitest";
import { POST_BODY_BYTES_MAX, SafeFetch } from "../src/safe-fetch.ts";
import {
  localFetch,
  newClock,
  noDns,
  PUBLIC_V4,
  publicDns,
  recordingSend,
  serveHttp,
  signal,
} from "./harness.ts";

const POSTED = { headers: { "content-type": "application/json" }, body: Buffer.from('{"a":1}') };

describe("a POST", () => {
  test("sends its body and headers and the client's own five, and returns the status", async () => {
    const seen: unknown[] = [];
    const port = await serveHttp(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push([request.method, request.url, request.headers, body]);
      response.writeHead(202).end("thanks");
    });
    const { safeFetch, url } = localFetch(port);
    const headers = { ...POSTED.headers, host: "elsewhere.example", "user-agent": "another" };
    const sent = await safeFetch.post(`${url}hook?a=b#c`, { ...POSTED, headers });
    expect(sent).toEqual({ ok: true, value: 202 });
    const own = {
      host: `127.0.0.1:${port}`,
      "user-agent": "Gatehouse",
      accept: "*/*",
      "accept-encoding": "identity",
      connection: "close",
    };
    const all = { ...own, "content-type": "application/json", "content-length": "7" };
    expect(seen).toEqual([["POST", "/hook?a=b", all, '{"a":1}']]);
  });

  test("is sent every time, whatever was answered before", async () => {
    let count = 0;
    const port = await serveHttp((_request, response) => {
      count++;
      response.writeHead(count === 1 ? 500 : 200).end();
    });
    const { safeFetch, url } = localFetch(port);
    const answers = [await safeFetch.post(url, POSTED), await safeFetch.post(url, POSTED)];
    expect(answers).toEqual([
      { ok: true, value: 500 },
      { ok: true, value: 200 },
    ]);
  });

  test("follows no redirect, and sends nothing there", async () => {
    const asked: unknown[] = [];
    const port = await serveHttp((request, response) => {
      asked.push(request.url);
      response.writeHead(307, { location: "/other" }).end();
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.post(url, POSTED)).toMatchObject({ ok: false, reason: "redirected" });
    expect(asked).toEqual(["/"]);
  });

  test("returns at the status, without waiting for the rest of the answer", async () => {
    const closed = signal();
    const port = await serveHttp((_request, response) => {
      response.on("close", () => closed.happened());
      response.writeHead(200, { "content-encoding": "gzip" }).write("without end");
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.post(url, POSTED)).toEqual({ ok: true, value: 200 });
    await closed.happens;
  });

  test("to a silent receiver ends at its timeout", async () => {
    const arrived = signal();
    const port = await serveHttp(() => arrived.happened());
    const { safeFetch, clock, url } = localFetch(port);
    const sent = safeFetch.post(url, POSTED);
    await arrived.happens;
    clock.advance(3000);
    expect(await sent).toMatchObject({ ok: false, reason: "timed_out" });
  });

  test("goes to the checked address, and never to a private one", async () => {
    const { send, targets } = recordingSend();
    const options = { clock: newClock(), allow: [], send };
    const open = new SafeFetch({ ...options, resolver: publicDns });
    expect((await open.post("https://hooks.example.com/a", POSTED)).ok).toBe(true);
    expect(targets).toMatchObject([{ address: PUBLIC_V4, port: 443 }]);
    const rebound = { ...publicDns, addresses: () => Promise.resolve([PUBLIC_V4, "10.0.0.1"]) };
    const inside = new SafeFetch({ ...options, resolver: rebound });
    const refused = await inside.post("https://hooks.example.com/a", POSTED);
    expect(refused).toMatchObject({ ok: false, reason: "not_global_address" });
    for (const url of [
      "http://hooks.example.com/",
      "https://127.0.0.1/",
      "https://a:b@c.example/",
    ]) {
      expect(await open.post(url, POSTED)).toMatchObject({ ok: false, reason: "not_allowed_url" });
    }
    expect(targets).toHaveLength(1);
  });

  test("larger than its limit is refused", async () => {
    const { safeFetch, url } = localFetch(1);
    const body = new Uint8Array(POST_BODY_BYTES_MAX + 1);
    expect(await safeFetch.post(url, { headers: {}, body })).toMatchObject({ reason: "too_large" });
  });
});

test("whether an address may be requested can be checked without a request", async () => {
  const { send, targets } = recordingSend();
  const options = { clock: newClock(), allow: ["127.0.0.1:8080"], send };
  const open = new SafeFetch({ ...options, resolver: publicDns });
  const inside = { ...publicDns, addresses: () => Promise.resolve(["192.168.0.1"]) };
  const closed = new SafeFetch({ ...options, resolver: inside });
  expect((await open.permits("https://hooks.example.com/")).ok).toBe(true);
  expect((await open.permits("http://127.0.0.1:8080/")).ok).toBe(true);
  expect(await open.permits("http://127.0.0.1:8081/")).toMatchObject({ reason: "not_allowed_url" });
  expect(await closed.permits("https://hooks.example.com/")).toMatchObject({
    reason: "not_global_address",
  });
  const none = new SafeFetch({ ...options, resolver: noDns });
  expect(await none.permits("https://a.example.com/")).toMatchObject({ reason: "no_address" });
  expect(targets).toEqual([]);
});

describe("an exchange of signed messages", () => {
  const LIMITS = { totalMs: 2000, bodyBytes: 20 };

  test("returns the answer and the headers of its signature", async () => {
    const port = await serveHttp((_request, response) => {
      response.writeHead(400, { "webhook-id": "m1", "webhook-timestamp": "7", "x-more": "no" });
      response.end('{"b":2}');
    });
    const { safeFetch, url } = localFetch(port);
    const answer = await safeFetch.exchange(url, POSTED, LIMITS);
    const signed = { "webhook-id": "m1", "webhook-timestamp": "7", "webhook-signature": "" };
    expect(answer).toMatchObject({ ok: true, value: { status: 400, signed } });
    expect(answer.ok && Buffer.from(answer.value.body).toString()).toBe('{"b":2}');
  });

  test("has a limit of size, and follows no redirect", async () => {
    const port = await serveHttp((request, response) => {
      if (request.url === "/far") return response.writeHead(302, { location: "/" }).end();
      return response.end("x".repeat(21));
    });
    const { safeFetch, url } = localFetch(port);
    const faults = [
      await safeFetch.exchange(url, POSTED, LIMITS),
      await safeFetch.exchange(`${url}far`, POSTED, LIMITS),
      await safeFetch.exchange("http://10.0.0.1/", POSTED, LIMITS),
    ].map((answer) => (answer.ok ? "answered" : answer.reason));
    expect(faults).toEqual(["too_large", "redirected", "not_allowed_url"]);
  });
});
