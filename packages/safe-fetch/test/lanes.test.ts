import { describe, expect, test } from "vitest";
import { type LaneName, SafeFetch } from "../src/safe-fetch.ts";
import { heldSend, newClock, page, publicDns, turn } from "./harness.ts";

const slow = (n: number) => `https://slow-${n}.example.com/`;
const HONEST = "https://honest.example.org/";

function opened() {
  const { send, held } = heldSend();
  const clock = newClock();
  const busy: LaneName[] = [];
  const onBusy = (lane: LaneName) => busy.push(lane);
  const safeFetch = new SafeFetch({ resolver: publicDns, clock, allow: [], send, onBusy });
  const started = (url: string) => held.some((one) => one.url === url);
  return { safeFetch, held, clock, busy, started };
}

describe("requests that strangers cause", () => {
  test("do not keep another stranger waiting, however many slow hosts one names", async () => {
    const { safeFetch, started, held } = opened();
    for (let n = 0; n < 80; n++) void safeFetch.get(slow(n), { lane: "stranger", source: "a" });
    void safeFetch.get(HONEST, { lane: "stranger", source: "b" });
    await turn();
    expect(held).toHaveLength(5);
    expect(started(HONEST)).toBe(true);
  });

  test("from many sources at once are served before theirs go on", async () => {
    const { safeFetch, started, held, clock } = opened();
    for (let n = 0; n < 80; n++) {
      void safeFetch.get(slow(n), { lane: "stranger", source: `source-${n % 20}` });
    }
    await turn();
    expect(held).toHaveLength(32);
    void safeFetch.get(HONEST, { lane: "stranger", source: "new" });
    await turn();
    expect(started(HONEST)).toBe(false);
    clock.advance(100);
    held.shift()?.answer(page("hello"));
    await turn();
    expect(started(HONEST)).toBe(true);
  });

  test("take no place of known addresses, owners or webhooks", async () => {
    const { safeFetch, started } = opened();
    for (let n = 0; n < 300; n++) {
      void safeFetch.get(slow(n), { lane: "stranger", source: `source-${n}` });
    }
    const known = "https://known.example.org/";
    const own = "https://own.example.org/";
    const hook = "https://hook.example.org/";
    void safeFetch.get(known, { lane: "known", source: "a" });
    void safeFetch.get(own);
    void safeFetch.post(hook, { headers: {}, body: new Uint8Array() });
    await turn();
    expect([known, own, hook].map(started)).toEqual([true, true, true]);
  });

  test("wait in bounded numbers, and are counted when they find no place", async () => {
    const { safeFetch, busy } = opened();
    for (let n = 0; n < 20; n++) void safeFetch.get(slow(n), { lane: "stranger", source: "a" });
    await turn();
    expect(safeFetch.load).toEqual({ underWay: 4, waiting: 16 });
    const answer = await safeFetch.get(HONEST, { lane: "stranger", source: "a" });
    expect(answer).toMatchObject({ ok: false, reason: "too_busy" });
    expect(busy).toEqual(["stranger"]);
  });
});
