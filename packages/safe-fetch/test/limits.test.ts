import { describe, expect, test } from "vitest";
import { FETCH_MS_MAX, type FetchResult, SafeFetch } from "../src/safe-fetch.ts";
import { heldSend, newClock, page, publicDns, type Send, turn } from "./harness.ts";

const TOO_BUSY = { ok: false, reason: "too_busy" };

function fetchWith(send: Send): SafeFetch {
  return new SafeFetch({ resolver: publicDns, clock: newClock(), allow: [], send });
}

function pagesOf(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://${host}/${index}`);
}

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://host-${index}.example.com/`);
}

/** Answers what is under way, one at a time, until nothing more starts. */
async function answerAll(held: ReturnType<typeof heldSend>["held"]): Promise<void> {
  for (let next = held.shift(); next !== undefined; next = held.shift()) {
    next.answer(page("hello"));
    await turn();
  }
}

describe("at most two requests to one host run at the same time:", () => {
  test("the third waits until one is answered", async () => {
    const { send, held, counts } = heldSend();
    const safeFetch = fetchWith(send);
    const results = pagesOf("example.com", 3).map((url) => safeFetch.get(url));
    await turn();
    expect(held.map(({ url }) => url)).toEqual(pagesOf("example.com", 2));
    held.shift()?.answer(page("hello"));
    await turn();
    expect(counts).toEqual({ started: 3, underWay: 2, mostUnderWay: 2 });
    await answerAll(held);
    expect(await Promise.all(results)).toMatchObject(Array(3).fill({ ok: true }));
  });

  test("all of many are answered in the end, in order", async () => {
    const { send, held, counts } = heldSend();
    const safeFetch = fetchWith(send);
    const urls = pagesOf("example.com", 18);
    const finished: string[] = [];
    const results = urls.map((url) => safeFetch.get(url).then(() => finished.push(url)));
    await turn();
    await answerAll(held);
    await Promise.all(results);
    expect(finished).toEqual(urls);
    expect(counts).toEqual({ started: 18, underWay: 0, mostUnderWay: 2 });
  });

  test("a host with waiting requests does not block another host", async () => {
    const { send, held } = heldSend();
    const safeFetch = fetchWith(send);
    for (const url of pagesOf("slow.example.com", 100)) void safeFetch.get(url);
    const other = safeFetch.get("https://other.example.com/");
    await turn();
    held.find(({ url }) => url === "https://other.example.com/")?.answer(page("hello"));
    expect(await other).toMatchObject({ ok: true });
  });
});

describe("at most 32 requests in all run at the same time:", () => {
  test("the 33rd waits until one is answered, whatever its host", async () => {
    const { send, held, counts } = heldSend();
    const safeFetch = fetchWith(send);
    const results = hosts(40).map((url) => safeFetch.get(url));
    await turn();
    expect(counts).toEqual({ started: 32, underWay: 32, mostUnderWay: 32 });
    held.shift()?.answer(page("hello"));
    await turn();
    expect(counts).toEqual({ started: 33, underWay: 32, mostUnderWay: 32 });
    await answerAll(held);
    expect(await Promise.all(results)).toMatchObject(Array(40).fill({ ok: true }));
    expect(counts).toEqual({ started: 40, underWay: 0, mostUnderWay: 32 });
  });

  test("a free place skips the first in the queue if its host is still full", async () => {
    const { send, held } = heldSend();
    const safeFetch = fetchWith(send);
    const [third = "", ...full] = pagesOf("full.example.com", 3).toReversed();
    for (const url of [...full, ...hosts(30), third]) void safeFetch.get(url);
    void safeFetch.get("https://other.example.com/");
    await turn();
    held.find(({ url }) => url === hosts(1)[0])?.answer(page("hello"));
    await turn();
    expect(held.map(({ url }) => url)).toContain("https://other.example.com/");
    expect(held.map(({ url }) => url)).not.toContain(third);
  });

  test("lookups count too", async () => {
    const started: string[] = [];
    const addresses = (host: string) => {
      started.push(host);
      return new Promise<string[]>(() => undefined);
    };
    const resolver = { ...publicDns, addresses };
    const { send } = heldSend();
    const safeFetch = new SafeFetch({ resolver, clock: newClock(), allow: [], send });
    for (const url of hosts(40)) void safeFetch.get(url);
    await turn();
    expect(started).toHaveLength(32);
  });
});

describe("at most 16 requests to one host wait:", () => {
  test("the next is refused at once, while another host is served", async () => {
    const { send, held } = heldSend();
    const safeFetch = fetchWith(send);
    const results = pagesOf("slow.example.com", 18).map((url) => safeFetch.get(url));
    await turn();
    expect(await safeFetch.get("https://slow.example.com/next")).toMatchObject(TOO_BUSY);
    const other = safeFetch.get("https://other.example.com/");
    await turn();
    await answerAll(held);
    expect(await other).toMatchObject({ ok: true });
    expect(await Promise.all(results)).toMatchObject(Array(18).fill({ ok: true }));
  });

  test("time in the queue counts towards the request's own three seconds", async () => {
    const { send } = heldSend();
    const clock = newClock();
    const safeFetch = new SafeFetch({ resolver: publicDns, clock, allow: [], send });
    const [, , third] = pagesOf("slow.example.com", 3).map((url) => safeFetch.get(url));
    await turn();
    clock.advance(FETCH_MS_MAX);
    expect(await third).toMatchObject(TOO_BUSY);
  });
});

describe("at most 256 requests wait:", () => {
  /** 32 under way and 256 waiting, spread over hosts that are each at their own limit. */
  async function fillUp() {
    const { send, held } = heldSend();
    const safeFetch = fetchWith(send);
    const urls = Array.from({ length: 16 }, (_, i) => pagesOf(`host-${i}.example.com`, 18)).flat();
    const results = urls.map((url) => safeFetch.get(url));
    await turn();
    return { safeFetch, held, results };
  }

  test("the next is refused at once as too busy", async () => {
    const { safeFetch, held, results } = await fillUp();
    expect(await safeFetch.get("https://example.com/next")).toMatchObject(TOO_BUSY);
    await answerAll(held);
    expect(await Promise.all(results)).toMatchObject(Array(288).fill({ ok: true }));
  });

  test("a refusal as too busy is not cached", async () => {
    const { safeFetch, held } = await fillUp();
    expect(await safeFetch.get("https://example.com/next")).toMatchObject(TOO_BUSY);
    await answerAll(held);
    const again = safeFetch.get("https://example.com/next");
    await turn();
    await answerAll(held);
    expect(await again).toMatchObject({ ok: true });
  });
});

describe("a place is released", () => {
  async function outcome(request: Promise<FetchResult>): Promise<string> {
    const result = await request.catch(() => "thrown");
    if (typeof result === "string") return result;
    return result.ok ? "answered" : result.reason;
  }

  test("when the address is refused", async () => {
    const { send } = heldSend();
    const resolver = { ...publicDns, addresses: () => Promise.resolve(["127.0.0.1"]) };
    const safeFetch = new SafeFetch({ resolver, clock: newClock(), allow: [], send });
    const requests = pagesOf("example.com", 18).map((url) => outcome(safeFetch.get(url)));
    expect(await Promise.all(requests)).toEqual(Array(18).fill("not_global_address"));
  });

  test("when sending throws", async () => {
    const safeFetch = fetchWith(() => Promise.reject(new Error("broken")));
    const requests = pagesOf("example.com", 18).map((url) => outcome(safeFetch.get(url)));
    expect(await Promise.all(requests)).toEqual(Array(18).fill("thrown"));
  });
});
