import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { FETCH_MS_MAX, SafeFetch } from "../src/safe-fetch.ts";
import { startDnsServer } from "./dns-server.ts";
import {
  localFetch,
  newClock,
  noDns,
  PUBLIC_V4,
  recordingFetch,
  recordingSend,
  serveBytes,
  serveHttp,
  signal,
  turn,
} from "./harness.ts";

const HEAD_READ = "http.client.response.finish";

/** When the client has read the head of the answer of that port: Node says so itself. */
function headRead(port: number): Promise<void> {
  const { happened, happens } = signal();
  const listener = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader("host") === `127.0.0.1:${port}`) happened();
  };
  subscribe(HEAD_READ, listener);
  onTestFinished(() => void unsubscribe(HEAD_READ, listener));
  return happens;
}

/** A server that has heard a request, and says when, and when the connection closed. */
async function serveSlow(begin: (response: ServerResponse) => void = () => undefined) {
  const heard = signal();
  const closed = signal();
  const responses: ServerResponse[] = [];
  const port = await serveHttp((_request, response) => {
    response.on("close", closed.happened);
    responses.push(response);
    begin(response);
    heard.happened();
  });
  return { port, heard: heard.happens, closed: closed.happens, responses };
}

test("a request has 3 seconds", () => {
  expect(FETCH_MS_MAX).toBe(3000);
});

describe("a request times out, and its connection is closed, for", () => {
  test("a server that never answers", async () => {
    const { port, heard, closed } = await serveSlow();
    const { safeFetch, clock, url } = localFetch(port);
    const result = safeFetch.get(url);
    await heard;
    clock.advance(3000);
    expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
    await closed;
  });

  test("a body that stops halfway", async () => {
    const { port, closed } = await serveSlow((response) => {
      response.writeHead(200, { "content-length": 100 }).write("half");
    });
    const { safeFetch, clock, url } = localFetch(port);
    const read = headRead(port);
    const result = safeFetch.get(url);
    await read;
    clock.advance(3000);
    expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
    await closed;
  });

  test("a body that drips steadily, because the total time counts", async () => {
    const { port, closed, responses } = await serveSlow((response) => void response.write("a"));
    const { safeFetch, clock, url } = localFetch(port);
    const read = headRead(port);
    const result = safeFetch.get(url);
    await read;
    for (let second = 0; second < 3; second++) {
      responses[0]?.write("a");
      await turn();
      clock.advance(1000);
    }
    expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
    await closed;
  });

  test("a header that stops halfway", async () => {
    const heard = signal();
    const closed = signal();
    const port = await serveBytes((socket) => {
      socket.on("close", closed.happened);
      socket.write("HTTP/1.1 200 OK\r\nContent-Le", heard.happened);
    });
    const { safeFetch, clock, url } = localFetch(port);
    const result = safeFetch.get(url);
    await heard.happens;
    clock.advance(3000);
    expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
    await closed.happens;
  });

  test("interim responses without a final one", async () => {
    const heard = signal();
    const closed = signal();
    const port = await serveBytes((socket) => {
      socket.on("close", closed.happened);
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(100), heard.happened);
    });
    const { safeFetch, clock, url } = localFetch(port);
    const result = safeFetch.get(url);
    await heard.happens;
    clock.advance(3000);
    expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
    await closed.happens;
  });
});

test("a protocol upgrade is refused by its connection, or at the latest by the timeout", async () => {
  const closed = signal();
  const port = await serveBytes((socket) => {
    socket.on("close", closed.happened);
    socket.write("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello");
  });
  const { safeFetch, clock, url } = localFetch(port);
  const result = safeFetch.get(url);
  await closed.happens;
  clock.advance(3000);
  expect(await result).toMatchObject({ ok: false });
});

test("an answer one millisecond before the timeout is accepted", async () => {
  const { port, heard, responses } = await serveSlow();
  const { safeFetch, clock, url } = localFetch(port);
  const result = safeFetch.get(url);
  await heard;
  clock.advance(2999);
  responses[0]?.end("in time");
  expect(await result).toMatchObject({ ok: true, value: { status: 200 } });
});

test("an answer leaves no timer behind, neither for the lookup nor for the request", async () => {
  const port = await serveHttp((_request, response) => response.end("in time"));
  const timers: { cancelled: boolean }[] = [];
  const clock = {
    now: () => 0,
    after: () => {
      const timer = { cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
  const safeFetch = new SafeFetch({ resolver: noDns, clock, allow: [`127.0.0.1:${port}`] });
  expect(await safeFetch.get(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: true });
  expect(timers).toEqual([{ cancelled: true }, { cancelled: true }]);
});

test("a name server that does not answer is given at most 3 seconds", async () => {
  const asked = signal();
  const dns = await startDnsServer(() => {
    asked.happened();
    return "silence";
  });
  onTestFinished(() => dns.close());
  const { safeFetch, clock, targets } = recordingFetch(dns.server);
  const result = safeFetch.get("https://silent.example.com/");
  await asked.happens;
  clock.advance(3000);
  expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
  expect(targets).toEqual([]);
});

test("the time of a lookup counts towards the time of the request", async () => {
  const { send, limits } = recordingSend();
  const clock = newClock();
  const addresses = async () => {
    clock.advance(2000);
    return [PUBLIC_V4];
  };
  const resolver = { addresses, txt: async () => [] };
  const safeFetch = new SafeFetch({ resolver, clock, allow: [], send });
  expect(await safeFetch.get("https://example.com/")).toMatchObject({ ok: true });
  expect(limits).toEqual([{ totalMs: 1000, bodyBytes: 65_536 }]);
});

test("a lookup that ends too late leads to no request", async () => {
  const { send, targets } = recordingSend();
  const clock = newClock();
  const answered = signal();
  const addresses = async () => {
    await answered.happens;
    return [PUBLIC_V4];
  };
  const resolver = { addresses, txt: async () => [] };
  const safeFetch = new SafeFetch({ resolver, clock, allow: [], send });
  const result = safeFetch.get("https://example.com/");
  await turn();
  clock.advance(3000);
  answered.happened();
  expect(await result).toMatchObject({ ok: false, reason: "timed_out" });
  await turn();
  expect(targets).toEqual([]);
});
