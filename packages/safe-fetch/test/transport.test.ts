import { once } from "node:events";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { requestTarget } from "../src/request.ts";
import { SafeFetch } from "../src/safe-fetch.ts";
import { localFetch, newClock, noDns, serveBytes, serveHttp, signal } from "./harness.ts";

describe("a redirect is refused and its target never contacted:", () => {
  test.each([300, 301, 302, 303, 307, 308])("%i", async (status) => {
    const contacted: (string | undefined)[] = [];
    const elsewhere = await serveHttp((request, response) => {
      contacted.push(request.url);
      response.end("secret");
    });
    const port = await serveHttp((request, response) => {
      if (request.url !== "/") contacted.push(request.url);
      response.writeHead(status, { location: `http://127.0.0.1:${elsewhere}/` }).end();
    });
    const allow = [`127.0.0.1:${port}`, `127.0.0.1:${elsewhere}`];
    const safeFetch = new SafeFetch({ resolver: noDns, clock: newClock(), allow });
    const result = await safeFetch.get(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ ok: false, reason: "redirected" });
    expect(contacted).toEqual([]);
  });

  test("302 with an endless body, by closing the connection", async () => {
    const closed = signal();
    const port = await serveHttp((_request, response) => {
      response.on("close", () => closed.happened());
      response.writeHead(302, { location: "/elsewhere" }).write("wait");
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "redirected" });
    await closed.happens;
  });
});

describe("a compressed answer is refused and never decompressed:", () => {
  test.each(["gzip", "br", "deflate", "zstd", "identity, gzip"])("%s", async (encoding) => {
    const port = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end(gzipSync(Buffer.alloc(1_000_000)));
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "encoded" });
  });
});

describe("a broken answer is refused if it has", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  test.each([
    ["no content at all", ""],
    ["something that is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["binary noise", "\0\x01\x02\xff\xfe".repeat(1000)],
    ["a head cut short", `${head}Content-Type: text/pl`],
    ["a body shorter than its length", `${head}Content-Length: 100\r\n\r\nshort`],
    ["chunks without an end", `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n`],
    ["a chunk cut short", `${head}Transfer-Encoding: chunked\r\n\r\n64\r\nshort`],
    ["a chunk without a size", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nshort\r\n`],
    ["two lengths", `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nshort!`],
    ["a length that is no number", `${head}Content-Length: five\r\n\r\nshort`],
    ["a line break smuggled into a header", `${head}X: a\rY: b\r\nContent-Length: 0\r\n\r\n`],
    ["one huge header", `${head}X: ${"a".repeat(20_000)}\r\n\r\nhello`],
    ["a thousand headers", `${head}${"X: aaaaaaaaaaaaaaaaaaaa\r\n".repeat(1000)}\r\nhello`],
  ])("%s", async (_name, bytes) => {
    const port = await serveBytes((socket) => socket.end(bytes, "latin1"));
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "unreachable" });
  });

  test("endless headers, and its connection is closed", async () => {
    const closed = signal();
    const port = await serveBytes((socket) => {
      socket.on("close", () => closed.happened());
      const more = () => {
        while (!socket.destroyed && socket.write("X: aaaaaaaaaaaaaaaaaaaaaaaa\r\n"));
      };
      socket.on("drain", more);
      socket.write("HTTP/1.1 200 OK\r\n");
      more();
    });
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "unreachable" });
    await closed.happens;
  });

  test("no server behind it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, "close");
    const { safeFetch, url } = localFetch(port);
    expect(await safeFetch.get(url)).toMatchObject({ ok: false, reason: "unreachable" });
  });
});

describe("a request has", () => {
  interface Seen {
    readonly line: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }

  async function serveSeen() {
    const seen: Seen[] = [];
    const port = await serveHttp(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.writeHead(200, { "content-type": "text/x-seen", "set-cookie": "id=1; Path=/" });
      response.end("seen");
    });
    return { seen, port };
  }

  test("its own five headers and no others: no cookie, no authorization, no origin", async () => {
    const { seen, port } = await serveSeen();
    const allow = [`shop.localhost:${port}`];
    const safeFetch = new SafeFetch({ resolver: noDns, clock: newClock(), allow });
    const url = `http://shop.localhost:${port}/a%20b/../c?q=1&r=%2F#fragment`;
    // The second request would bring back the cookie that the first was given.
    await safeFetch.get(url);
    const result = await safeFetch.get(url, { fresh: true });
    const value = {
      status: 200,
      contentType: "text/x-seen",
      cacheControl: "",
      body: Buffer.from("seen"),
    };
    expect(result).toEqual({ ok: true, value });
    const headers = {
      host: `shop.localhost:${port}`,
      "user-agent": "Gatehouse",
      accept: "*/*",
      "accept-encoding": "identity",
      connection: "close",
    };
    const request = { line: "GET /c?q=1&r=%2F", headers, body: "" };
    expect(seen).toEqual([request, request]);
  });

  test("no user information, even if its URL contains it", async () => {
    const { seen, port } = await serveSeen();
    const url = new URL(`http://user:secret@127.0.0.1:${port}/`);
    const limits = { totalMs: 3000, bodyBytes: 64 };
    await requestTarget({ url, address: "127.0.0.1", port }, limits, newClock());
    expect(seen).toMatchObject([{ headers: { host: `127.0.0.1:${port}` } }]);
    expect(JSON.stringify(seen)).not.toMatch(/user:|secret|authorization/i);
  });
});
