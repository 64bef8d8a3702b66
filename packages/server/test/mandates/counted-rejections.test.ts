import { signMandate } from "@gatehouse/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Overrides } from "../../src/context.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { type Trouble, troubled } from "../twice.ts";
import { submitting } from "./submitting.ts";

const MINUTE_MS = 60_000;
/** A sample in `npm test`; `npm run test:long` asks for more. */
const SCHEDULES = Number(process.env.REFUSAL_SCHEDULES ?? 4);

/** Timers of a busy machine may fire a millisecond before the clock says that they are due. */
class EarlyClock extends ManualClock {
  override after(delayMs: number, task: () => void): () => void {
    return super.after(Math.max(0, delayMs - 1), task);
  }
}

async function open(
  dialect: (typeof TIER_DATABASES)[number],
  { clock = new ManualClock(NOON), ...overrides }: Overrides & { clock?: ManualClock } = {},
) {
  const env = {
    ...(await freshEnvironment(dialect)),
    GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000",
  };
  const server = await startServer(env, { clock, ...overrides });
  // Their transactions would have the trouble that is meant for others.
  await server.context.jobs.stop();
  const agent = submitting(server);
  const shop = await agent.shop();
  const buyer = await agent.buyer(shop);
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const late = { issued_at: at(-20 * MINUTE_MS), expires_at: at(-10 * MINUTE_MS) };
  const expired = await signMandate(agent.mandate(shop, buyer, late), buyer.key.signer);
  const forged = { ...expired, envelope: { ...expired.envelope, signature: "A".repeat(86) } };
  /** Sends it, and says whether it was refused: while nothing can be recorded it is not answered. */
  const isRefused = async (body: object) =>
    ["rejected", "rate_limited"].includes(String((await agent.send(shop, body)).body.outcome));
  const failing = () =>
    server.context.audit
      .commit(shop.site_key_hash, async () => {
        throw new Error("a neighbour failed");
      })
      .catch(() => undefined);
  /** Lets what was begun in the background come to its end: commits have their turn in order. */
  const settle = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const nothing = async () => ({ records: [], answer: null });
    await server.context.audit.commit(shop.site_key_hash, nothing).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  };
  /** Has commits wait until it is released: they then make one batch. */
  const holdCommits = async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await new Promise<void>((holding) => {
      server.context.audit.commit(shop.site_key_hash, async () => {
        holding();
        await released;
        return { records: [], answer: null };
      });
    });
    return release;
  };
  const commitsWaiting = async () => {
    const { body } = await server.admin("GET", "/metrics");
    return Number(/^gatehouse_audit_commits_waiting (\d+)$/m.exec(body)?.[1]);
  };
  return {
    server,
    holdCommits,
    commitsWaiting,
    clock,
    settle,
    expired,
    forged,
    isRefused,
    failing,
    counted: () => countedBy(server),
  };
}

/** What the logs of a server say of refusals: records of one each, and the counts of the others. */
async function countedBy({ context: { db } }: TestServer) {
  const textsOf = async (type: string) =>
    (
      await db.all<{ text: string }>(
        "SELECT text FROM audit_records WHERE type = ? ORDER BY seq",
        type,
      )
    ).map(({ text }) => JSON.parse(text));
  const singles = await textsOf("mandate.decision");
  const folded = await textsOf("refusals.folded");
  const counts: number[] = folded.map(({ refusals }) => refusals.count);
  const sum = counts.reduce((all, one) => all + one, 0);
  return { singles: singles.length, counts, all: singles.length + sum, folded };
}

describe.each(TIER_DATABASES)("rejections that are counted, on %s:", (dialect) => {
  test("each is counted once, even if other commits of its batch fail", async () => {
    const { clock, settle, expired, isRefused, failing, counted, holdCommits, commitsWaiting } =
      await open(dialect);
    for (let round = 0; round < 10; round++) {
      const release = await holdCommits();
      const sent = Array.from({ length: 10 }, () => isRefused(expired));
      await expect.poll(commitsWaiting).toBe(10);
      const others = Array.from({ length: 5 }, failing);
      release();
      expect(await Promise.all(sent)).toEqual(Array(10).fill(true));
      await Promise.all(others);
    }
    clock.advance(MINUTE_MS);
    await settle();
    expect(await counted()).toMatchObject({ singles: 60, counts: [40], all: 100 });
  });

  test("a minute is written when it ends, even if its timer fires early", async () => {
    const clock = new EarlyClock(NOON);
    const { settle, expired, isRefused, counted } = await open(dialect, { clock });
    for (let n = 0; n < 70; n++) await isRefused(expired);
    clock.advance(MINUTE_MS - 1);
    await settle();
    clock.advance(1);
    await settle();
    expect(await counted()).toMatchObject({ counts: [10] });
  });

  test("a minute that could not be written is written once, later", async () => {
    const troubles: Trouble[] = [];
    const { clock, settle, expired, isRefused, counted } = await open(dialect, {
      database: (db) => troubled(db, () => troubles.shift() ?? "none"),
    });
    for (let n = 0; n < 70; n++) await isRefused(expired);
    for (const next of ["fails", "again", "unheard"] as const) {
      troubles.push(next);
      clock.advance(MINUTE_MS);
      await settle();
    }
    expect(await counted()).toMatchObject({ counts: [10], singles: 60 });
    clock.advance(MINUTE_MS);
    await settle();
    expect(await counted()).toMatchObject({ counts: [10], singles: 60 });
  });

  test("a stopping service writes the current minute", async () => {
    const { server, expired, isRefused } = await open(dialect);
    for (let n = 0; n < 65; n++) await isRefused(expired);
    await server.stop();
    const again = await startServer(server.env);
    const { folded } = await countedBy(again);
    const refusals = { count: 5, counts: { mandate_expired: 5 } };
    expect(folded).toMatchObject([{ refusals, request: { route: "/v1/m/{site_key}/mandate" } }]);
  });

  test("of those of strangers, ten a minute and five hundred a day get their own record, restarts included", {
    timeout: 120_000,
  }, async () => {
    const { server, clock, settle, forged, isRefused, counted } = await open(dialect);
    const sendMany = (count: number) =>
      Promise.all(Array.from({ length: count }, () => isRefused(forged)));
    for (let minute = 0; minute < 51; minute++) {
      await sendMany(12);
      clock.advance(MINUTE_MS);
    }
    await settle();
    expect(await counted()).toMatchObject({ singles: 500, all: 51 * 12 });
    await server.stop();
    const again = await startServer(server.env, { clock });
    await again.stop();
    expect((await countedBy(await startServer(server.env, { clock }))).singles).toBe(500);
  });

  test(`in ${SCHEDULES} schedules of failures, retries and clock steps, each has one record or one count`, {
    timeout: 60_000 + SCHEDULES * 10_000,
  }, async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("send" as const),
        expired: fc.nat(40),
        forged: fc.nat(20),
        failing: fc.nat(4),
      }),
      fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(90_000) }),
      fc.record({
        kind: fc.constant("trouble" as const),
        trouble: fc.constantFrom<Trouble>("none", "again", "fails", "unheard"),
        // Every second at most: after a lost answer the log is asked, and what it says must be heard.
        every: fc.integer({ min: 2, max: 5 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        let trouble: { trouble: Trouble; every: number } = { trouble: "none", every: 1 };
        let asked = 0;
        const database: Overrides["database"] = (db) =>
          troubled(db, () => (++asked % trouble.every === 0 ? trouble.trouble : "none"));
        const { clock, settle, expired, forged, isRefused, failing, counted, server } = await open(
          dialect,
          { database },
        );
        let refused = 0;
        for (const one of steps) {
          if (one.kind === "trouble") trouble = one;
          if (one.kind === "advance") clock.advance(one.ms);
          if (one.kind !== "send") continue;
          const sent = [
            ...Array.from({ length: one.expired }, () => isRefused(expired)),
            ...Array.from({ length: one.forged }, () => isRefused(forged)),
          ];
          await Promise.all(Array.from({ length: one.failing }, failing));
          refused += (await Promise.all(sent)).filter(Boolean).length;
        }
        trouble = { trouble: "none", every: 1 };
        for (let n = 0; n < 3; n++) {
          await settle();
          clock.advance(MINUTE_MS);
        }
        await settle();
        expect((await counted()).all).toBe(refused);
        await server.stop();
      }),
      { numRuns: SCHEDULES, endOnFailure: true },
    );
  });
});
