import { refuse } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { SafeFetch } from "../src/safe-fetch.ts";
import { heldSend, newClock, PUBLIC_V4, page, publicDns, recordingSend, turn } from "./harness.ts";

const URL_ONE = "https://example.com/one";
const MINUTE_MS = 60_000;

/** A client whose requests are counted and answered at once with `answer`. */
function fetchAnswering(answer: Parameters<typeof recordingSend>[0]) {
  const clock = newClock();
  const { send, targets } = recordingSend(answer);
  const safeFetch = new SafeFetch({ resolver: publicDns, clock, allow: [], send });
  return { safeFetch, clock, sent: () => targets.length };
}

describe("equal requests at the same time share one fetch:", () => {
  async function started(...requests: Parameters<SafeFetch["get"]>[]) {
    const { send, held, counts } = heldSend();
    const safeFetch = new SafeFetch({ resolver: publicDns, clock: newClock(), allow: [], send });
    const results = requests.map((request) => safeFetch.get(...request));
    await turn();
    for (const { answer } of held.splice(0)) answer(page("hello"));
    expect(await Promise.all(results)).toMatchObject(requests.map(() => ({ ok: true })));
    return counts.started;
  }

  test("a hundred requests for the same address share it", async () => {
    expect(await started(...Array<[string]>(100).fill([URL_ONE]))).toBe(1);
  });

  test("addresses that differ only in their fragment, case or default port share it", async () => {
    const spellings = [`${URL_ONE}#a`, `${URL_ONE}#b`, "HTTPS://EXAMPLE.com:443/one"];
    expect(await started(...spellings.map((url): [string] => [url]))).toBe(1);
  });

  test("another path does not share it", async () => {
    expect(await started([URL_ONE], ["https://example.com/two"])).toBe(2);
  });

  test("another query does not share it", async () => {
    expect(await started([URL_ONE], [`${URL_ONE}?two`])).toBe(2);
  });

  test("another size limit does not share it", async () => {
    expect(await started([URL_ONE], [URL_ONE, { bodyBytesMax: 100_000 }])).toBe(2);
  });

  test("a fresh request does not share one that began before", async () => {
    expect(await started([URL_ONE], [URL_ONE, { fresh: true }])).toBe(2);
    expect(await started([URL_ONE, { fresh: true }], [URL_ONE, { fresh: true }])).toBe(1);
  });

  test("a request that threw is not shared with the next", async () => {
    let sent = 0;
    const send = () => {
      sent += 1;
      return sent === 1 ? Promise.reject(new Error("broken")) : Promise.resolve(page("hello"));
    };
    const safeFetch = new SafeFetch({ resolver: publicDns, clock: newClock(), allow: [], send });
    await expect(safeFetch.get(URL_ONE)).rejects.toThrow("broken");
    expect(await safeFetch.get(URL_ONE)).toMatchObject({ ok: true });
  });
});

describe("an answer is cached for a minute:", () => {
  test("within the minute nothing is sent", async () => {
    const { safeFetch, clock, sent } = fetchAnswering(() => page("hello"));
    const first = await safeFetch.get(URL_ONE);
    clock.advance(MINUTE_MS - 1);
    expect(await safeFetch.get(URL_ONE)).toEqual(first);
    expect(sent()).toBe(1);
  });

  test("after the minute it is fetched again", async () => {
    const { safeFetch, clock, sent } = fetchAnswering(() => page("hello"));
    await safeFetch.get(URL_ONE);
    clock.advance(MINUTE_MS);
    await safeFetch.get(URL_ONE);
    expect(sent()).toBe(2);
  });

  test("it is used only for the same size limit", async () => {
    const { safeFetch, sent } = fetchAnswering(() => page("hello"));
    await safeFetch.get(URL_ONE);
    await safeFetch.get(URL_ONE, { bodyBytesMax: 100_000 });
    expect(sent()).toBe(2);
  });
});

describe.each([
  ["a failure", () => refuse("unreachable", "broken")],
  ["a refused redirect", () => refuse("redirected", "elsewhere")],
  ["a missing page", () => page("missing", 404)],
  ["a server error", () => page("broken", 500)],
] as const)("%s is cached for five minutes:", (_name, answer) => {
  test("within five minutes nothing is sent", async () => {
    const { safeFetch, clock, sent } = fetchAnswering(answer);
    const first = await safeFetch.get(URL_ONE);
    clock.advance(5 * MINUTE_MS - 1);
    expect(await safeFetch.get(URL_ONE)).toEqual(first);
    expect(sent()).toBe(1);
  });

  test("after five minutes it is fetched again", async () => {
    const { safeFetch, clock, sent } = fetchAnswering(answer);
    await safeFetch.get(URL_ONE);
    clock.advance(5 * MINUTE_MS);
    await safeFetch.get(URL_ONE);
    expect(sent()).toBe(2);
  });
});

test("a refused name is not looked up again for five minutes", async () => {
  const clock = newClock();
  let lookups = 0;
  const addresses = async () => {
    lookups += 1;
    return lookups === 1 ? ["127.0.0.1"] : [PUBLIC_V4];
  };
  const { send, targets } = recordingSend();
  const resolver = { ...publicDns, addresses };
  const safeFetch = new SafeFetch({ resolver, clock, allow: [], send });
  const refused = { ok: false, reason: "not_global_address" };
  expect(await safeFetch.get(URL_ONE)).toMatchObject(refused);
  clock.advance(5 * MINUTE_MS - 1);
  expect(await safeFetch.get(URL_ONE)).toMatchObject(refused);
  expect({ lookups, sent: targets.length }).toEqual({ lookups: 1, sent: 0 });
  clock.advance(1);
  expect(await safeFetch.get(URL_ONE)).toMatchObject({ ok: true });
});

describe("a fresh request", () => {
  test("is sent although an answer is cached, and its answer replaces that one", async () => {
    let version = 0;
    const { safeFetch, clock, sent } = fetchAnswering(() => page(`version ${++version}`));
    await safeFetch.get(URL_ONE);
    clock.advance(MINUTE_MS - 1);
    const second = page("version 2");
    expect(await safeFetch.get(URL_ONE, { fresh: true })).toEqual(second);
    clock.advance(MINUTE_MS - 1);
    expect(await safeFetch.get(URL_ONE)).toEqual(second);
    expect(sent()).toBe(2);
  });

  test("is sent although a failure is cached", async () => {
    let tries = 0;
    const { safeFetch } = fetchAnswering(() =>
      ++tries === 1 ? refuse("unreachable", "broken") : page("mended"),
    );
    expect(await safeFetch.get(URL_ONE)).toMatchObject({ ok: false });
    expect(await safeFetch.get(URL_ONE, { fresh: true })).toMatchObject({ ok: true });
    expect(await safeFetch.get(URL_ONE)).toMatchObject({ ok: true });
  });
});

describe("the cache is bounded and drops the oldest entry first:", () => {
  const numbered = (index: number) => `https://example.com/${index}`;

  async function isRemembered({ safeFetch, sent }: ReturnType<typeof fetchAnswering>, url: string) {
    const before = sent();
    await safeFetch.get(url);
    return sent() === before;
  }

  test("it keeps a thousand answers", async () => {
    const client = fetchAnswering(() => page("hello"));
    for (let index = 0; index <= 1000; index++) await client.safeFetch.get(numbered(index));
    expect(await isRemembered(client, numbered(1))).toBe(true);
    expect(await isRemembered(client, numbered(1000))).toBe(true);
    expect(await isRemembered(client, numbered(0))).toBe(false);
  });

  test("it keeps 16 MB of bodies", async () => {
    const client = fetchAnswering(() => page("a".repeat(1024 * 1024)));
    for (let index = 0; index <= 16; index++) await client.safeFetch.get(numbered(index));
    expect(await isRemembered(client, numbered(1))).toBe(true);
    expect(await isRemembered(client, numbered(16))).toBe(true);
    expect(await isRemembered(client, numbered(0))).toBe(false);
  });

  test("an answer that replaces another is counted once", async () => {
    const client = fetchAnswering(() => page("a".repeat(1024 * 1024)));
    await client.safeFetch.get(numbered(0));
    for (let round = 0; round < 40; round++) {
      await client.safeFetch.get(numbered(1), { fresh: true });
    }
    expect(await isRemembered(client, numbered(0))).toBe(true);
  });
});
