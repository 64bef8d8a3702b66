import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BodyMemory } from "../../src/http/server/admission/body-memory.ts";
import { FairQueue } from "../../src/http/server/admission/fair-queue.ts";
import { FairRate, FairRates } from "../../src/http/server/admission/fair-rate.ts";
import { TrustedProxies } from "../../src/http/server/trusted-proxies.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { networksOf } from "../../src/infra/networks.ts";
import { AddressLimiter } from "../../src/infra/rate-limit/address-limiter.ts";
import { NOON } from "../harness.ts";
import { ADDRESS_OF_64 } from "../identity/renamings.ts";

const MINUTE_MS = 60_000;
const ANY_PROXY = new TrustedProxies(["127.0.0.1"]);

/** A request that a trusted proxy forwarded for an address. */
const forwardedFor = (address: string) =>
  ({
    socket: { remoteAddress: "127.0.0.1" },
    headers: { "x-forwarded-for": address },
  }) as unknown as IncomingMessage;

describe("a limit by address", () => {
  const passed = (limiter: AddressLimiter, addresses: readonly string[]) =>
    addresses.filter((address) => limiter.take(networksOf(address), NOON) === 0).length;

  test("is the same for every address of a /64", () => {
    const addresses = Array.from({ length: 50 }, (_, i) => `2001:db8:1:1::${i.toString(16)}`);
    expect(passed(new AddressLimiter({ perMinute: 10 }), addresses)).toBe(10);
  });

  test("lets a /56 do four times as much as a /64, and a /48 eight times", () => {
    const in56 = Array.from({ length: 256 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`);
    expect(passed(new AddressLimiter({ perMinute: 10 }), in56)).toBe(40);
    const in48 = Array.from({ length: 1000 }, (_, i) => `2001:db8:1:${(i * 61).toString(16)}::1`);
    expect(passed(new AddressLimiter({ perMinute: 10 }), in48)).toBe(80);
  });

  test("is the same for every spelling of an address and every address of its network", () => {
    fc.assert(
      fc.property(ADDRESS_OF_64, (spelled) => {
        const { address } = ANY_PROXY.clientOf(forwardedFor(spelled));
        expect(networksOf(address)).toEqual(networksOf("2001:db8:a:b::1"));
      }),
      { numRuns: 1000, seed: 3 },
    );
    const mapped = ["::ffff:198.51.100.7", "::FFFF:c633:6407", "::ffff:198.51.100.7%eth0"];
    for (const spelling of ["198.51.100.7:4711", ...mapped]) {
      const { address } = ANY_PROXY.clientOf(forwardedFor(spelling));
      expect(networksOf(address)).toEqual(["198.51.100.7"]);
    }
  });

  test("takes nothing from a /48 for a request that its /64 refuses", () => {
    const limiter = new AddressLimiter({ perMinute: 2 });
    for (let i = 0; i < 100; i++) limiter.take(networksOf("2001:db8:1:1::1"), NOON);
    const others = Array.from({ length: 14 }, (_, i) => `2001:db8:1:${(i + 1) * 100}::1`);
    expect(passed(limiter, others)).toBe(14);
  });

  test("makes a charged address wait, and never longer than for a whole burst", () => {
    const limiter = new AddressLimiter({ perMinute: 60 });
    const networks = networksOf("203.0.113.7");
    for (let charged = 5; charged <= 5000; charged += 5) {
      limiter.charge(networks, NOON, 5);
      expect(limiter.wait(networks, NOON)).toBe(charged < 60 ? 0 : 1000);
    }
    expect(limiter.wait(networks, NOON + 1000)).toBe(0);
  });
});

describe("a total that is shared fairly", () => {
  test("reserves the last three tenths for newcomers", () => {
    const rate = new FairRate(100);
    let greedy = 0;
    for (let i = 0; i < 500; i++) greedy += rate.take("greedy", NOON) === 0 ? 1 : 0;
    expect(greedy).toBe(70);
    expect(rate.take("newcomer", NOON)).toBe(0);
  });

  test("gives each caller an equal share when two compete", () => {
    const rate = new FairRate(100);
    const pass = (key: string) => rate.take(key, NOON) === 0;
    expect(pass("second")).toBe(true);
    const passed = ["first", "second"].map(
      (key) => Array.from({ length: 200 }, () => pass(key)).filter(Boolean).length,
    );
    expect(passed).toEqual([35, 34]);
  });

  test("serves a newcomer however many others are at their limits, for any seed", () => {
    const crowd = fc.array(fc.integer({ min: 0, max: 249 }), { minLength: 2000, maxLength: 4000 });
    fc.assert(
      fc.property(crowd, fc.integer({ min: 0, max: MINUTE_MS - 1 }), (callers, moment) => {
        const rate = new FairRate(1000);
        let passed = 0;
        for (const [i, caller] of callers.entries()) {
          const now = NOON + Math.floor((moment * i) / callers.length);
          passed += rate.take(`2001:db8:${caller}::/48`, now) === 0 ? 1 : 0;
        }
        expect(passed).toBeLessThanOrEqual(1000);
        expect(rate.take("newcomer", NOON + moment)).toBe(0);
      }),
      { numRuns: 20, seed: 7 },
    );
  });

  test("counts the last sixty seconds, across the turn of a minute", () => {
    const rate = new FairRate(100);
    for (let i = 0; i < 70; i++) rate.take("greedy", NOON + MINUTE_MS - 1);
    expect(rate.take("greedy", NOON + MINUTE_MS)).toBeGreaterThan(0);
    expect(rate.take("greedy", NOON + 2 * MINUTE_MS)).toBe(0);
  });

  test("says to wait for the next minute, and does not wait because of a clock that was set back", () => {
    const rate = new FairRate(1);
    expect(rate.take("a", NOON)).toBe(0);
    expect(rate.take("a", NOON + 20_000)).toBe(40_000);
    expect(rate.take("a", NOON - MINUTE_MS)).toBe(0);
  });

  test("is separate for each site, and drops idle sites beyond ten thousand", () => {
    const rates = new FairRates(1);
    expect([rates.take("a", "k", NOON), rates.take("b", "k", NOON)]).toEqual([0, 0]);
    for (let i = 0; i < 10_000; i++) rates.take(`site ${i}`, "k", NOON);
    expect(rates.size).toBe(10_000);
    rates.take("another", "k", NOON + 2 * MINUTE_MS);
    expect(rates.size).toBe(1);
  });
});

describe("bytes of bodies in memory", () => {
  const one = networksOf("203.0.113.7");

  test("are limited by address, with more for larger networks", () => {
    const held = new BodyMemory({ perAddress: 100, total: 100_000 });
    expect([held.hold(one, 100), held.hold(one, 1)]).toEqual([undefined, "address"]);
    const in56 = Array.from({ length: 8 }, (_, i) => networksOf(`2001:db8:1:${i}::1`));
    expect(in56.map((networks) => held.hold(networks, 100) ?? "held")).toEqual([
      "held",
      "held",
      "held",
      "held",
      "address",
      "address",
      "address",
      "address",
    ]);
  });

  test("leave room for a small body however many large ones are half-sent", () => {
    const held = new BodyMemory({ perAddress: 1000, total: 10_000 });
    for (let i = 0; i < 50; i++) held.hold(networksOf(`198.51.100.${i}`), 500);
    expect(held.bytes).toBe(7000);
    expect(held.hold(networksOf("203.0.113.8"), 500)).toBe("process");
    expect(held.hold(networksOf("203.0.113.8"), 50)).toBe(undefined);
  });

  test("are all released", () => {
    const held = new BodyMemory({ perAddress: 100, total: 200 });
    held.hold(one, 60);
    held.hold(one, 40);
    held.release(one, 100);
    expect([held.bytes, held.hold(one, 100)]).toEqual([0, undefined]);
  });
});

describe("work of anonymous callers", () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  function queueing(places: number) {
    const clock = new ManualClock(NOON);
    const queue = new FairQueue(places, clock);
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const run = (key: string, name = key) =>
      queue.run(key, () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      });
    return { clock, queue, started, ends, run };
  }

  test("is queued by network, and the networks take turns", async () => {
    const { started, ends, run } = queueing(1);
    for (const name of ["a1", "a2", "a3"]) void run("a", name);
    void run("b", "b1");
    for (let i = 0; i < 4; i++) {
      await settled();
      ends[i]?.();
    }
    await settled();
    expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  });

  test("reserves the last places for networks that have no work running", async () => {
    const { started, run } = queueing(10);
    for (let i = 0; i < 20; i++) void run("greedy");
    await settled();
    expect(started).toHaveLength(7);
    void run("newcomer");
    await settled();
    expect(started.at(-1)).toBe("newcomer");
  });

  test("is refused when its turn does not come within two seconds, and leaves nothing in memory", async () => {
    const { clock, queue, run } = queueing(1);
    void run("a");
    const late = run("b");
    expect(queue.waiting).toBe(1);
    clock.advance(2000);
    expect([await late, queue.waiting]).toEqual([undefined, 0]);
  });

  test("is refused at once when too much work of its network waits already", async () => {
    const { run } = queueing(1);
    for (let i = 0; i < 65; i++) void run("a");
    expect(await run("a")).toBe(undefined);
  });

  test("gives its place back when it fails", async () => {
    const queue = new FairQueue(1, new ManualClock(NOON));
    await expect(queue.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await queue.run("b", async () => 1)).toEqual({ done: 1 });
  });
});
