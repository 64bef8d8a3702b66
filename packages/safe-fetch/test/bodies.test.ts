import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { requestTarget } from "../src/request.ts";
import { FETCH_BODY_BYTES_MAX } from "../src/safe-fetch.ts";
import { localFetch, newClock, serveHttp, signal } from "./harness.ts";

const LIMIT = 65_536;

/** Answers with a whole body, its length told or not. */
function serveBody(bytes: number, told: "with a declared length" | "chunked") {
  return serveHttp((_request, response) => {
    if (told === "with a declared length") response.setHeader("content-length", bytes);
    else response.flushHeaders();
    response.end(Buffer.alloc(bytes, "a"));
  });
}

/** Writes for as long as it is read, and never ends of itself. */
function writeWithoutEnd(response: ServerResponse, chunk: Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}

describe.each(["with a declared length", "chunked"] as const)("a body, %s,", (told) => {
  test("is read completely up to 64 KB", async () => {
    const { safeFetch, url } = localFetch(await serveBody(LIMIT, told));
    const result = await safeFetch.get(url);
    expect(result.ok && Buffer.from(result.value.body).equals(Buffer.alloc(LIMIT, "a"))).toBe(true);
  });

  test("is refused one byte above 64 KB", async () => {
    const { safeFetch, url } = localFetch(await serveBody(LIMIT + 1, told));
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "too_large" });
  });

  test("is read up to a larger limit that the caller sets", async () => {
    const { safeFetch, url } = localFetch(await serveBody(LIMIT * 3, told));
    const result = await safeFetch.get(url, { bodyBytesMax: LIMIT * 3 });
    expect(result.ok && result.value.body.length).toBe(LIMIT * 3);
  });

  test("is refused one byte above the limit that the caller sets", async () => {
    const { safeFetch, url } = localFetch(await serveBody(1001, told));
    expect(await safeFetch.get(url, { bodyBytesMax: 1000 })).toMatchObject({
      ok: false,
      reason: "too_large",
    });
  });
});

test("the limit is 64 KB unless the caller sets another", () => {
  expect(FETCH_BODY_BYTES_MAX).toBe(LIMIT);
});

test("a declared length above the limit is refused without waiting for the body", async () => {
  const closed = signal();
  const port = await serveHttp((_request, response) => {
    response.on("close", closed.happened);
    response.writeHead(200, { "content-length": String(2 ** 40) }).flushHeaders();
  });
  const { safeFetch, url } = localFetch(port);
  expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "too_large" });
  await closed.happens;
});

describe("an endless body is refused and its connection closed if it comes", () => {
  test.each([
    ["in large chunks", Buffer.alloc(65_536)],
    ["in small chunks", Buffer.alloc(100)],
  ])("%s", async (_name, chunk) => {
    const closed = signal();
    const port = await serveHttp((_request, response) => {
      response.on("close", closed.happened);
      writeWithoutEnd(response, chunk);
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "too_large" });
    await closed.happens;
  });

  test("without a length, until the connection closes", async () => {
    const closed = signal();
    const port = await serveHttp((_request, response) => {
      response.on("close", closed.happened);
      response.useChunkedEncodingByDefault = false;
      writeWithoutEnd(response, Buffer.alloc(10_000));
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "too_large" });
    await closed.happens;
  });
});

test("an empty body is a valid answer", async () => {
  const { safeFetch, url } = localFetch(await serveBody(0, "with a declared length"));
  const result = await safeFetch.get(url);
  expect(result.ok && result.value.body.length).toBe(0);
});

describe("an answer other than 200 is returned with its status:", () => {
  test.each([204, 401, 404, 429, 500, 503])("%i", async (status) => {
    const port = await serveHttp((_request, response) => response.writeHead(status).end());
    const target = { url: new URL(`http://127.0.0.1:${port}/`), address: "127.0.0.1", port };
    const result = await requestTarget(target, { totalMs: 3000, bodyBytes: 64 }, newClock());
    expect(result).toMatchObject({ ok: true, value: { status } });
  });
});
