import {
  evaluatePolicy,
  factsNeeded,
  type JsonObject,
  POLICY_WINDOWS,
  type Policy,
  type PolicyFacts,
  policyDurationMs,
  readPolicy,
} from "@gatehouse/protocol";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { testPolicy } from "../../src/actions/test-policy.ts";
import type { Context } from "../../src/context.ts";
import type { Decision } from "../../src/owners/decisions/decision.ts";
import { Book } from "../../src/owners/decisions/history/book.ts";
import { loadHistory } from "../../src/owners/decisions/history/load.ts";
import { SPENT_AT } from "../../src/owners/decisions/history/store.ts";
import { Allowance } from "../../src/platform/allowance.ts";
import { ManualClock } from "../../src/platform/clock.ts";
import type { Database, Queries } from "../../src/platform/db/database.ts";
import {
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import { decisionOf, type Fate, factsOf, type Past, saidOf, writeMany, writePast } from "./past.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const draftOf = (...rules: JsonObject[]): JsonObject => {
  const any = { id: "any", effect: "allow", when: { skill: { exists: true } } };
  return { policy: "rules/1", timezone: "UTC", default: "deny", rules: [...rules, any] };
};
const counting = (scope: string, window: string, gt: number, effect = "deny") => ({
  id: `count-${scope}-${window.toLowerCase()}`,
  ...{ effect, when: { count: { scope, window, gt } } },
});
const spending = (scope: string, window: string, minor: number, effect = "deny") => {
  const EUR = (minor / 100).toFixed(2);
  const spend = { scope, window, would_exceed: { EUR, USD: EUR } };
  const when = { all: [{ "cart.total": { exists: true } }, { spend }] };
  return { id: `spend-${scope}-${window.toLowerCase()}`, effect, when };
};
const plain = (place: number, at: number, actorId = "agt-a"): Past => ({
  ...{ place, at, actorId, amount: null, fate: "approved", decidedAt: at },
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
    run: () => Promise.reject(new Error("a test of a draft writes")),
  });
  return {
    ...{ dialect: db.dialect, changes: db.changes, ...telling(db, "outside") },
    transaction: () => Promise.reject(new Error("a test of a draft writes")),
    snapshot: (body) => db.snapshot((reader) => body(telling(reader, "inside"))),
    script: () => Promise.reject(new Error("a test of a draft writes")),
    close: () => db.close(),
  };
}

/** What the counters of a draft hold before one decision, each summed up from the very beginning. */
function naiveFacts(
  policy: Policy,
  now: Past,
  made: readonly Past[],
  spent: readonly { at: number; past: Past }[],
): PolicyFacts {
  const { amount } = now;
  const mine = (scope: string, past: Past) => scope === "site" || past.actorId === now.actorId;
  const within = (window: string, at: number) =>
    at > now.at - (policyDurationMs(window) as number) && at <= now.at;
  const { spend, count } = factsNeeded(policy);
  return {
    ...(factsOf(now) as PolicyFacts),
    spend: (amount === null ? [] : spend).map(({ scope, window }) => {
      const { currency } = amount as { currency: string };
      const minor = spent
        .filter(({ at, past }) => within(window, at) && mine(scope, past))
        .filter(({ past }) => past.amount?.currency === currency)
        .reduce((sum, { past }) => sum + (past.amount?.minor ?? 0), 0);
      return { scope, window, currency, minor };
    }),
    count: count.map(({ scope, window }) => ({
      ...{ scope, window },
      value: made.filter((past) => within(window, past.at) && mine(scope, past)).length,
    })),
  };
}

/** What a draft would have said of those that rules were asked for, found the slow way. */
function naive(
  policy: Policy,
  all: readonly Past[],
  last: number,
  spentAt: (past: Past) => number | null,
): { past: Past; outcome: string; rule: string | null }[] {
  const first = Math.max(0, all.length - last);
  const spent = all.slice(0, first).flatMap((past) => {
    const at = spentAt(past);
    return at === null ? [] : [{ at, past }];
  });
  const verdicts: ReturnType<typeof naive> = [];
  for (const [n, past] of all.entries()) {
    if (n < first || past.fate === "unasked") continue;
    const facts = naiveFacts(policy, past, all.slice(0, n), spent);
    const { outcome, rule } = evaluatePolicy(policy, facts);
    verdicts.push({ past, outcome, rule });
    if (outcome === "approved" && past.fate !== "declined") spent.push({ at: past.at, past });
    const reviewed = outcome === "escalated" && past.fate === "reviewed";
    if (reviewed) spent.push({ at: past.decidedAt, past });
  }
  return verdicts;
}

const FATES: readonly Fate[] = [
  ...(["approved", "rejected", "rejected", "reviewed", "reviewed", "pending"] as const),
  ...(["denied", "declined", "unasked"] as const),
];
const WINDOWS = ["PT1M", "PT30M", "PT1H", "PT6H", "P1D", "P7D"];
/** At once, just within and just past windows, on the hour and off it. */
const GAPS = [0, 0, 1, 59_999, 60_000, 600_000, HOUR_MS - 1, HOUR_MS, 6 * HOUR_MS, DAY_MS];

const amounts = fc.record({
  minor: fc.integer({ min: 1, max: 5 }),
  currency: fc.constantFrom("EUR", "EUR", "USD"),
});
const pasts = fc
  .array(
    fc.record({
      gap: fc.constantFrom(...GAPS),
      actorId: fc.constantFrom("agt-a", "agt-b", "agt-c"),
      amount: fc.option(amounts, { freq: 4 }),
      fate: fc.constantFrom(...FATES),
      review: fc.constantFrom(...GAPS),
    }),
    { minLength: 15, maxLength: 30, size: "max" },
  )
  .map((steps) => {
    let at = NOON;
    return steps.map(({ gap, actorId, amount, fate, review }, place): Past => {
      at += gap;
      return { place, at, actorId, amount, fate, decidedAt: at + review };
    });
  });
const scopes = fc.constantFrom("agent", "site");
const windows = fc.constantFrom(...WINDOWS);
const rungs = Array.from({ length: 60 }, (_, n) => 60 - n);
/** Many rules, the highest first: which of them allows a mandate tells the very number. */
const ladders = fc
  .tuple(fc.constantFrom(counting, spending), scopes, windows)
  .map(([kind, scope, window]) =>
    rungs.map((n) => ({ ...kind(scope, window, n - 1, "allow"), id: `exactly-${n}` })),
  );
const stops = fc
  .tuple(
    ...[fc.constantFrom(counting, spending), scopes, windows],
    ...[fc.integer({ min: 2, max: 20 }), fc.constantFrom("deny", "escalate")],
  )
  .map(([kind, scope, window, n, effect]) => kind(scope, window, n, effect));
const asks = { id: "ask", effect: "escalate", when: { "agent.id": { eq: "agt-c" } } };
const drafts = fc
  .tuple(ladders, fc.uniqueArray(stops, { maxLength: 2, selector: ({ id }) => id }), fc.boolean())
  .map(([ladder, stop, ask]) => draftOf(...ladder, ...stop, ...(ask ? [asks] : [])));

const policyOf = (document: JsonObject): Policy => {
  const read = readPolicy(document as never);
  if (!read.ok) throw new Error(read.detail);
  return read.value;
};

describe.each(DATABASES)("trying a draft, on %s,", (dialect) => {
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

  const rows = (max: number) => new Allowance(clock, { msMax: 1, rowsMax: max });

  test("counts exactly what a slow count of everything does", async () => {
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
      const made = await testPolicy(context, site, draft, last);
      if (!made.ok) throw new Error(made.detail);
      const expected = naive(policyOf(draft), all, last, spentAt);
      const changed = expected
        .filter(({ past, outcome }) => outcome !== saidOf(past.fate))
        .map(({ past, ...verdict }) => [decisionOf(site, past).decisionId, verdict]);
      expect(made.value.tested).toBe(expected.length);
      expect(
        made.value.changed.map(({ decision, wouldBe: { outcome, ruleId: rule } }) => [
          ...[decision.decisionId, { outcome, rule }],
        ]),
      ).toEqual(changed);
      for (const { rule } of expected) seen.add(rule?.replace(/-.*/, "") ?? "");
    };
    const shares = fc.constantFrom(0.1, 0.4, 0.7, 1);
    await fc.assert(fc.asyncProperty(pasts, drafts, shares, holds), { numRuns: 40, seed: 7 });
    expect([...seen].sort()).toEqual(["any", "ask", "count", "exactly", "spend"]);
  });

  test("asks few questions of a long history, and lets others have their turn", async () => {
    const site = newSite();
    const all = Array.from({ length: 2_000 }, (_, n) =>
      plain(n, NOON + n * 1_234_567, `agt-${n % 40}`),
    );
    await writeMany(context.db, site, all);
    const every = POLICY_WINDOWS.flatMap((window) =>
      ["agent", "site"].flatMap((scope) => [
        ...[counting(scope, window, 900), spending(scope, window, 900)],
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
    const made = await testPolicy({ ...context, db }, site, draftOf(...every), 1_000);
    running = false;
    expect(made.ok && made.value.tested).toBe(1_000);
    // For each of two books a range by window, and sums of both scopes between; then records by hundreds.
    const ranges = POLICY_WINDOWS.length + 1;
    expect(asked.inside).toBeLessThanOrEqual(2 + 2 * (ranges + 2 * (ranges - 1)));
    expect(asked.outside).toBe(10);
    expect(turns).toBeGreaterThan(100);
  });

  test("reads page by page, and no more rows than it may", async () => {
    const site = newSite();
    // More than two pages within an hour.
    const busy = Array.from({ length: 11_000 }, (_, n) => plain(n, NOON + Math.floor(n / 4)));
    const last = plain(busy.length, NOON + HOUR_MS - 1);
    await writeMany(context.db, site, [...busy, last]);
    const first: Decision = decisionOf(site, last);
    const looked = { first, last: first, actorIds: ["agt-a"] };
    const hourly = [{ scope: "site", window: "PT1H" } as const];
    const load = (counters: Parameters<typeof loadHistory>[3], max: number) =>
      loadHistory(context.db, looked, "decisions", counters, rows(max));
    const book = new Book(await load(hourly, 20_000));
    await book.advance(first.evaluatedAt, rows(0));
    expect(book.after(NOON - 1, null)).toBe(11_000);
    await expect(load(hourly, 10_999)).rejects.toMatchObject({ what: "rows" });

    const sums = Array.from({ length: 5_100 }, (_, n) => ({
      ...{ site_key_hash: site, hour: NOON - 2 * DAY_MS, actor_id: "agt-a" },
      ...{ currency: `${n}`, minor: n, decisions: 1 },
    }));
    await context.db.transaction((tx) => tx.insert("decision_hours", sums));
    for (const scope of ["agent", "site"] as const) {
      const monthly = new Book(await load([{ scope, window: "P31D" }], 20_000));
      await monthly.advance(first.evaluatedAt, rows(0));
      const whose = scope === "agent" ? "agt-a" : null;
      expect(monthly.after(first.evaluatedAt - 31 * DAY_MS, whose)).toBe(11_000 + sums.length);
    }
  });

  test("goes on once a site and twice a process at a time; the rest are told when to come", async () => {
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
    const running = [testPolicy({ ...context, db }, one as string, draftOf(), 1)];
    const again = await over(one);
    expect([again.status, again.body.error]).toEqual([429, "rate_limited"]);
    expect(again.headers.get("retry-after")).toBe("5");
    expect((await over(two)).status).toBe(200);
    running.push(testPolicy({ ...context, db }, two as string, draftOf(), 1));
    expect((await over(three)).status).toBe(429);
    goOn();
    expect((await Promise.all(running)).map(({ ok }) => ok)).toEqual([true, true]);
    for (const site of [one, two, three]) expect((await over(site)).status).toBe(200);
  });

  test("ends when it takes too long, says to test fewer, and gives its place back", async () => {
    const site = newSite();
    await writeMany(context.db, site, [plain(0, NOON)]);
    const slow = watched(context.db, () => clock.advance(6_000));
    const tried = await testPolicy({ ...context, db: slow }, site, draftOf(), 1);
    expect(tried).toMatchObject({ ok: false, reason: "unavailable" });
    expect(!tried.ok && tried.detail).toContain("test fewer");
    expect((await testPolicy(context, site, draftOf(), 1)).ok).toBe(true);
  });
});
