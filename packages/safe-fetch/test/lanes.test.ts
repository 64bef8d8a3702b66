import { describe, expect, test } from "vitest";
import { FETCH_MS_MAX, type LaneName, SafeFetch } from "../src/safe-fetch.ts";
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
  test("do not delay another stranger, however many slow hosts one of them names", async () => {
    const { safeFetch, started, held } = opened();
    for (let n = 0; n < 80; n++) void safeFetch.get(slow(n), { lane: "stranger", source: "a" });
    void safeFetch.get(HONEST, { lane: "stranger", source: "b" });
    await turn();
    expect(held).toHaveLength(5);
    expect(started(HONEST)).toBe(true);
  });

  test("from new sources are served before more requests of a busy one", async () => {
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

  test("do not use the limits of known addresses, owners or webhooks", async () => {
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

  test("wait in a bounded queue, and are counted when they are refused", async () => {
    const { safeFetch, busy } = opened();
    for (let n = 0; n < 20; n++) void safeFetch.get(slow(n), { lane: "stranger", source: "a" });
    await turn();
    expect(safeFetch.load).toEqual({ underWay: 4, waiting: 16 });
    const answer = await safeFetch.get(HONEST, { lane: "stranger", source: "a" });
    expect(answer).toMatchObject({ ok: false, reason: "too_busy" });
    expect(busy).toEqual(["stranger"]);
  });

  test("do not fill the queue for a stranger who asks for little", async () => {
    const { safeFetch, started, held } = opened();
    for (let n = 0; n < 400; n++) {
      void safeFetch.get(slow(n), { lane: "stranger", source: `source-${n % 25}` });
    }
    await turn();
    expect(safeFetch.load).toEqual({ underWay: 32, waiting: 256 });
    const honest = safeFetch.get(HONEST, { lane: "stranger", source: "new" });
    await turn();
    expect(safeFetch.load).toEqual({ underWay: 32, waiting: 256 });
    held[0]?.answer(page("hello"));
    await turn();
    expect(started(HONEST)).toBe(true);
    held.find(({ url }) => url === HONEST)?.answer(page("hello"));
    expect(await honest).toMatchObject({ ok: true });
  });

  test("that already wait are not displaced by a source that asks for as much", async () => {
    const { safeFetch, busy } = opened();
    for (let n = 0; n < 288; n++) {
      void safeFetch.get(slow(n), { lane: "stranger", source: `source-${n}` });
    }
    await turn();
    expect([safeFetch.load, busy]).toEqual([{ underWay: 32, waiting: 256 }, []]);
    const refused: unknown[] = [];
    const late = safeFetch.get(HONEST, { lane: "stranger", source: "new" });
    void late.then((answer) => refused.push(answer));
    await turn();
    expect(refused).toMatchObject([{ ok: false, reason: "too_busy" }]);
  });

  test("for one host do not block a source that asks it for little", async () => {
    const { safeFetch, started, held, clock } = opened();
    for (let n = 0; n < 18; n++) {
      void safeFetch.get(`${HONEST}${n}`, { lane: "known", source: `source-${n % 6}` });
    }
    await turn();
    const own = `${HONEST}profile`;
    void safeFetch.get(own, { lane: "known", source: "new" });
    await turn();
    // The four that were there before and have used as little go first, each with one request.
    for (let n = 0; n < 5; n++) {
      clock.advance(100);
      held[n]?.answer(page("hello"));
      await turn();
    }
    expect(started(own)).toBe(true);
  });

  test("for an address that belongs to an owner do not delay or fail the owner's requests", async () => {
    const { safeFetch, held, clock } = opened();
    for (let n = 0; n < 4; n++) void safeFetch.get(slow(n), { lane: "known", source: "a" });
    await turn();
    const named = safeFetch.get(HONEST, { lane: "known", source: "a" });
    await turn();
    // The slow ones are answered when hardly any time is left, and the request finds no answer in it.
    clock.advance(FETCH_MS_MAX - 1);
    const owners = safeFetch.get(HONEST, { lane: "known", source: "b" });
    await turn();
    held.pop()?.answer(page("hello"));
    expect(await owners).toMatchObject({ ok: true });
    void named;
  });

  test("that time out after waiting in the queue are not cached as a failure of the host", async () => {
    const { safeFetch, held, clock } = opened();
    for (let n = 0; n < 4; n++) void safeFetch.get(slow(n), { lane: "known", source: "a" });
    await turn();
    const named = safeFetch.get(HONEST, { lane: "known", source: "a" });
    await turn();
    clock.advance(FETCH_MS_MAX - 1);
    held[0]?.answer(page("hello"));
    await turn();
    held.pop()?.answer({ ok: false, reason: "timed_out", detail: "no whole answer within 1 ms" });
    expect(await named).toMatchObject({ ok: false, reason: "timed_out" });
    const owners = safeFetch.get(HONEST, { lane: "known", source: "b" });
    await turn();
    held.pop()?.answer(page("hello"));
    expect(await owners).toMatchObject({ ok: true });
  });
});
