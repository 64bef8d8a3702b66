import { type JsonObject, POLICY_WINDOWS } from "@gatehouse/protocol";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { testPolicy } from "../../src/actions/policies/test-policy.ts";
import type { Context } from "../../src/context.ts";
import type { Decision } from "../../src/domain/decisions/decision.ts";
import { Book } from "../../src/domain/decisions/history/book.ts";
import { loadHistory } from "../../src/domain/decisions/history/load.ts";
import { SPENT_AT } from "../../src/domain/decisions/history/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import type { Database, Queries } from "../../src/infra/db/database.ts";
import { WorkBudget } from "../../src/infra/work-budget.ts";
import {
  cleanUp,
  createSite,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { decisionOf, type Past, saidOf, writeMany, writePast } from "./past.ts";
import { counting, draftOf, drafts, naive, pasts, policyOf, spending } from "./slow-drafts.ts";

/** A sample in `npm test`; `npm run test:long` asks for the full count. */
const RUNS = Number(process.env.DRAFT_RUNS ?? 15);
const ofSite = (siteKeyHash = "") => ({ siteKeyHash, skills: [] });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const plain = (place: number, at: number, actorId = "agt-a"): Past => ({
  place,
  at,
  actorId,
  amount: null,
  fate: "approved",
  decidedAt: at,
});

/** A database that tells what it is asked, inside its snapshots and outside. */
function watched(db: Database, asked: (where: "inside" | "outside") => unknown): Database {
  const telling = (queries: Queries, where: "inside" | "outside"): Queries => ({
    all: async (sql, ...values) => {
      await asked(where);
      return queries.all(sql, ...values);
    },
    get: async (sql, ...values) => {
      await asked(where);
      return queries.get(sql, ...values);
    },
    getOnce: async (sql, ...values) => {
      await asked(where);
      return queries.getOnce(sql, ...values);
    },
    find: async (table, key) => {
      await asked(where);
      return queries.find(table, key);
    },
    findEach: async (table, key, column, values) => {
      await asked(where);
      return queries.findEach(table, key, column, values);
    },
    memory: (Kind) => queries.memory(Kind),
    run: () => Promise.reject(new Error("a test of a draft writes")),
  });
  const writes = () => Promise.reject(new Error("a test of a draft writes"));
  return {
    dialect: db.dialect,
    changes: db.changes,
    ...telling(db, "outside"),
    transaction: writes,
    shortTransaction: writes,
    snapshot: (body) => db.snapshot((reader) => body(telling(reader, "inside"))),
    script: writes,
    checkFile: () => db.checkFile(),
    close: () => db.close(),
  };
}

describe.each(TIER_DATABASES)("testing a draft, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let context: Context;
  let sites = 0;
  const newSite = () => `site-${++sites}`;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    context = server.context;
    return cleanUp;
  });

  const rows = (max: number) => new WorkBudget(clock, { msMax: 1, rowsMax: max });

  test("gives exactly the counts that a slow count of everything gives", async () => {
    const seen = new Set<string>();
    const holds = async (all: readonly Past[], draft: JsonObject, share: number) => {
      const site = newSite();
      await writePast(context.db, site, all);
      const spent = await context.db.all<{ decision_id: string; at: number | null }>(
        `SELECT decision_id, ${SPENT_AT} AS at FROM decisions
         WHERE site_key_hash = ? AND outcome IN ('approved', 'paying')`,
        site,
      );
      const times = new Map(spent.map(({ decision_id, at }) => [decision_id, at]));
      const spentAt = (past: Past) => times.get(decisionOf(site, past).decisionId) ?? null;
      const last = Math.ceil(all.length * share);
      const made = await testPolicy(context, ofSite(site), draft, { last });
      if (!made.ok) throw new Error(made.detail);
      const expected = naive(policyOf(draft), all, last, spentAt);
      const changed = expected
        .filter(({ past, outcome }) => outcome !== saidOf(past.fate))
        .map(({ past, ...verdict }) => [decisionOf(site, past).decisionId, verdict]);
      expect(made.value.tested).toBe(expected.length);
      expect(
        made.value.changed.map(({ decision, wouldBe: { outcome, ruleId: rule } }) => [
          decision.decisionId,
          { outcome, rule },
        ]),
      ).toEqual(changed);
      for (const { rule } of expected) seen.add(rule?.replace(/-.*/, "") ?? "");
    };
    const shares = fc.constantFrom(0.1, 0.4, 0.7, 1);
    await fc.assert(fc.asyncProperty(pasts, drafts, shares, holds), { numRuns: RUNS, seed: 7 });
    expect([...seen].sort()).toEqual(["any", "ask", "count", "exactly", "spend"]);
  });

  test("makes few queries for a long history, and lets other work run", async () => {
    const site = newSite();
    const all = Array.from({ length: 2_000 }, (_, n) =>
      plain(n, NOON + n * 1_234_567, `agt-${n % 40}`),
    );
    await writeMany(context.db, site, all);
    const every = POLICY_WINDOWS.flatMap((window) =>
      ["agent", "site"].flatMap((scope) => [
        counting(scope, window, 900),
        spending(scope, window, 900),
      ]),
    );
    const asked = { inside: 0, outside: 0 };
    const db = watched(context.db, (where) => asked[where]++);
    let turns = 0;
    let running = true;
    const turn = () => {
      turns++;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    const made = await testPolicy({ ...context, db }, ofSite(site), draftOf(...every), {
      last: 1_000,
    });
    running = false;
    expect(made.ok && made.value.tested).toBe(1_000);
    // For each of two books a range by window, and sums of both scopes between; then records by hundreds, and
    // the currencies of the site.
    const ranges = POLICY_WINDOWS.length + 1;
    expect(asked.inside).toBeLessThanOrEqual(2 + 2 * (ranges + 2 * (ranges - 1)));
    expect(asked.outside).toBe(11);
    expect(turns).toBeGreaterThan(100);
  });

  test("reads page by page, and not more rows than allowed", async () => {
    const site = newSite();
    // More than two pages within an hour.
    const busy = Array.from({ length: 11_000 }, (_, n) => plain(n, NOON + Math.floor(n / 4)));
    const last = plain(busy.length, NOON + HOUR_MS - 1);
    await writeMany(context.db, site, [...busy, last]);
    const first: Decision = decisionOf(site, last);
    const looked = { first, last: first, identities: ["agt-a"] };
    const hourly = [{ scope: "site", window: "PT1H" } as const];
    const load = (counters: Parameters<typeof loadHistory>[3], max: number) =>
      loadHistory(context.db, looked, "decisions", counters, rows(max));
    const book = new Book(await load(hourly, 20_000));
    await book.advance(first.evaluatedAt, rows(0));
    expect(book.after(NOON - 1, null)).toBe(11_000);
    await expect(load(hourly, 10_999)).rejects.toMatchObject({ resource: "rows" });

    const sums = Array.from({ length: 5_100 }, (_, n) => ({
      site_key_hash: site,
      hour: NOON - 2 * DAY_MS,
      actor_id: "agt-a",
      currency: `${n}`,
      minor: n,
      decisions: 1,
    }));
    await context.db.transaction((tx) => tx.insert("decision_hours", sums));
    for (const scope of ["agent", "site"] as const) {
      const monthly = new Book(await load([{ scope, window: "P31D" }], 20_000));
      await monthly.advance(first.evaluatedAt, rows(0));
      const whose = scope === "agent" ? "agt-a" : null;
      expect(monthly.after(first.evaluatedAt - 31 * DAY_MS, whose)).toBe(11_000 + sums.length);
    }
  });

  test("runs once per site and twice per process at a time, and others learn when to retry", async () => {
    const made = await Promise.all(
      ["one", "two", "three"].map((name) => createSite(server, `${name}.example.com`)),
    );
    const [one, two, three] = made.map(({ site_key_hash }) => site_key_hash as string);
    const over = (site = "") =>
      server.admin("POST", `/v1/admin/sites/${site}/policy/test`, { policy: draftOf() });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const db = watched(context.db, () => held);
    const running = [testPolicy({ ...context, db }, ofSite(one), draftOf(), { last: 1 })];
    const again = await over(one);
    expect([again.status, again.body.error]).toEqual([429, "rate_limited"]);
    expect(again.headers.get("retry-after")).toBe("5");
    expect((await over(two)).status).toBe(200);
    running.push(testPolicy({ ...context, db }, ofSite(two), draftOf(), { last: 1 }));
    expect((await over(three)).status).toBe(429);
    goOn();
    expect((await Promise.all(running)).map(({ ok }) => ok)).toEqual([true, true]);
    for (const site of [one, two, three]) expect((await over(site)).status).toBe(200);
  });

  test("ends if it takes too long, says to test fewer decisions, and releases its place", async () => {
    const site = newSite();
    await writeMany(context.db, site, [plain(0, NOON)]);
    const slow = watched(context.db, () => clock.advance(6_000));
    const tried = await testPolicy({ ...context, db: slow }, ofSite(site), draftOf(), { last: 1 });
    expect(tried).toMatchObject({ ok: false, reason: "unavailable" });
    expect(!tried.ok && tried.detail).toContain("Test fewer");
    expect((await testPolicy(context, ofSite(site), draftOf(), { last: 1 })).ok).toBe(true);
  });
});
