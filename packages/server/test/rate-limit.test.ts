import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deleteExpiredRates, takeExact } from "../src/infra/rate-limit/exact.ts";
import { LocalLimiter } from "../src/infra/rate-limit/local.ts";
import { DATABASES, freshEnvironment, NOON, startServer } from "./harness.ts";

describe("the limiter of one process:", () => {
  test("it allows a burst, and then one request per interval", () => {
    const limiter = new LocalLimiter({ perMinute: 60, burst: 3 });
    const taken = [0, 0, 0, 0, 999, 1000, 1000].map((ms) => limiter.take("a", NOON + ms));
    expect(taken).toEqual([0, 0, 0, 1000, 1, 0, 1000]);
  });

  test("it counts each key separately", () => {
    const limiter = new LocalLimiter({ perMinute: 1 });
    expect([limiter.take("a", NOON), limiter.take("b", NOON)]).toEqual([0, 0]);
    expect(limiter.take("a", NOON)).toBe(60_000);
  });

  test("asking how long to wait costs nothing", () => {
    const limiter = new LocalLimiter({ perMinute: 1 });
    for (let i = 0; i < 5; i++) expect(limiter.wait("a", NOON)).toBe(0);
    limiter.take("a", NOON);
    expect(limiter.wait("a", NOON)).toBe(60_000);
  });

  test("it allows exactly the burst at one moment, for any rate", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (perMinute) => {
        const limiter = new LocalLimiter({ perMinute });
        let passed = 0;
        for (let i = 0; i < perMinute + 10; i++) passed += limiter.take("a", NOON) === 0 ? 1 : 0;
        expect(passed).toBe(perMinute);
      }),
      { numRuns: 50, seed: 1 },
    );
  });

  test("it makes nobody wait because of a time from before the clock was set back", () => {
    const limiter = new LocalLimiter({ perMinute: 1 });
    limiter.take("a", NOON);
    expect(limiter.take("a", NOON - 3_600_000)).toBe(0);
    limiter.take("b", NOON);
    limiter.refund("b", NOON);
    expect(limiter.take("b", NOON - 30_000)).toBe(0);
  });

  test("it drops the oldest keys instead of growing without limit", () => {
    const limiter = new LocalLimiter({ perMinute: 1 });
    limiter.take("first", NOON);
    for (let i = 0; i < 100_001; i++) limiter.take(`key ${i}`, NOON);
    expect(limiter.wait("first", NOON)).toBe(0);
    expect(limiter.wait("key 100000", NOON)).toBeGreaterThan(0);
  });
});

describe.each(DATABASES)("the exact limiter on %s:", (dialect) => {
  test("it allows exactly N requests, however many come at once", async () => {
    const { context } = await startServer(await freshEnvironment(dialect));
    const ask = () =>
      context.db.transaction((tx) => takeExact(tx, "site", { perMinute: 17 }, NOON));
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    expect(answers.filter(Boolean).length).toBe(17);
  });

  test("a transaction that rolls back costs nothing", async () => {
    const { db } = (await startServer(await freshEnvironment(dialect))).context;
    const rate = { perMinute: 1 };
    const rolledBack = db.transaction(async (tx) => {
      expect(await takeExact(tx, "a", rate, NOON)).toBe(true);
      throw new Error("the decision failed");
    });
    await expect(rolledBack).rejects.toThrow("the decision failed");
    expect(await db.transaction((tx) => takeExact(tx, "a", rate, NOON))).toBe(true);
    expect(await db.transaction((tx) => takeExact(tx, "a", rate, NOON))).toBe(false);
  });

  test("it refills with time, respects the burst, and deletes expired rows", async () => {
    const { db } = (await startServer(await freshEnvironment(dialect))).context;
    const rate = { perMinute: 60, burst: 2 };
    const take = (ms: number) => db.transaction((tx) => takeExact(tx, "a", rate, NOON + ms));
    expect([await take(0), await take(0), await take(0)]).toEqual([true, true, false]);
    expect([await take(1000), await take(1000)]).toEqual([true, false]);
    await deleteExpiredRates(db, NOON + 1000);
    expect((await db.all("SELECT * FROM exact_limits")).length).toBe(1);
    await deleteExpiredRates(db, NOON + 60_000);
    expect(await db.all("SELECT * FROM exact_limits")).toEqual([]);
    expect(await take(60_000)).toBe(true);
  });

  test("the largest configured rate works", async () => {
    const { db } = (await startServer(await freshEnvironment(dialect))).context;
    const rate = { perMinute: 1_000_000 };
    expect(await db.transaction((tx) => takeExact(tx, "a", rate, NOON))).toBe(true);
  });
});
