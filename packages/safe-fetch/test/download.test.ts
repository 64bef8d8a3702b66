import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Download } from "../src/download.ts";
import { SafeFetch } from "../src/safe-fetch.ts";
import { localFetch, newClock, noDns, serveBytes, serveHttp, signal } from "./harness.ts";

const LIMITS = { totalMs: 60_000, bodyBytes: 100_000 };

async function textOf({ body }: Download): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe("a download", () => {
  test("passes on the body, its validators and the headers that were asked for", async () => {
    const port = await serveHttp(({ headers }, response) => {
      if (headers["if-none-match"] === '"a"') return response.writeHead(304).end();
      response.setHeader("etag", '"a"');
      return response.end("hello ".repeat(10_000));
    });
    const { safeFetch, url } = localFetch(port);
    const first = await safeFetch.download(url, LIMITS, async (answer) => ({
      etag: answer.etag,
      text: await textOf(answer),
    }));
    expect(first).toMatchObject({ ok: true, value: { etag: '"a"' } });
    expect(first.ok && first.value.text.length).toBe(60_000);
    const again = { ...LIMITS, headers: { "if-none-match": '"a"' } };
    const second = await safeFetch.download(url, again, async ({ status }) => status);
    expect(second).toEqual({ ok: true, value: 304 });
  });

  test("follows three redirects, and checks the address of each", async () => {
    const port = await serveHttp(({ url }, response) => {
      const hop = Number(url?.slice(1));
      if (hop === 0) return response.end("here");
      return response.writeHead(302, { location: `/${hop - 1}` }).end();
    });
    const inner = await serveHttp((_request, response) => response.end("secret"));
    const outer = await serveHttp((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inner}/` }).end(),
    );
    const allow = [`127.0.0.1:${port}`, `127.0.0.1:${outer}`];
    const safeFetch = new SafeFetch({ resolver: noDns, clock: newClock(), allow });
    const from = (hops: number) =>
      safeFetch.download(`http://127.0.0.1:${port}/${hops}`, LIMITS, textOf);
    expect(await from(3)).toEqual({ ok: true, value: "here" });
    expect(await from(4)).toMatchObject({ ok: false, reason: "redirected" });
    const away = await safeFetch.download(`http://127.0.0.1:${outer}/`, LIMITS, textOf);
    expect(away).toMatchObject({ ok: false, reason: "not_allowed_url" });
  });

  test("ends when the body is too large, compressed or cut short", async () => {
    const at = async (answer: Parameters<typeof serveHttp>[0]) => {
      const { safeFetch, url } = localFetch(await serveHttp(answer));
      return safeFetch.download(url, LIMITS, textOf);
    };
    const large = await at((_request, response) => {
      const more = () => response.write("x".repeat(10_000), (error) => error ?? more());
      more();
    });
    expect(large).toMatchObject({ ok: false, reason: "too_large" });
    const packed = await at((_request, response) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync("x")),
    );
    expect(packed).toMatchObject({ ok: false, reason: "encoded" });
    const port = await serveBytes((socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this"),
    );
    const { safeFetch, url } = localFetch(port);
    const cut = await safeFetch.download(url, LIMITS, textOf);
    expect(cut).toMatchObject({ ok: false, reason: "unreachable" });
  });

  test("ends when its time is over, and gives its place back", async () => {
    const begun = signal();
    const port = await serveHttp((_request, response) => {
      response.write("slow");
    });
    const { safeFetch, url, clock } = localFetch(port);
    const running = safeFetch.download(url, LIMITS, async ({ body }) => {
      for await (const _piece of body) begun.happened();
    });
    await begun.happens;
    clock.advance(LIMITS.totalMs);
    expect(await running).toMatchObject({ ok: false, reason: "timed_out" });
    expect(safeFetch.load.underWay).toBe(0);
  });

  test("passes on what its reader throws", async () => {
    const port = await serveHttp((_request, response) => response.end("x"));
    const { safeFetch, url } = localFetch(port);
    const stopped = safeFetch.download(url, LIMITS, () => Promise.reject(new Error("mine")));
    await expect(stopped).rejects.toThrow("mine");
  });
});
