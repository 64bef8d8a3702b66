import { describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { DatabaseUnavailableError } from "../src/infra/db/database.ts";
import { systemIds } from "../src/infra/ids.ts";
import { JOB_LEASE_MS, JOB_TICK_MS, JOB_WAKE_MS, Jobs } from "../src/infra/jobs/jobs.ts";
import { failedJobs } from "../src/infra/jobs/store.ts";
import { createLog } from "../src/infra/log/log.ts";
import { DAY_MS, MINUTE_MS } from "../src/infra/time.ts";
import { DATABASES, freshEnvironment, NOON, startServer, type TestServer } from "./harness.ts";

const log = createLog("silent");
const EVERY_MS = 60_000;

describe.each(DATABASES)("background jobs on %s:", (dialect) => {
  async function twoNodes() {
    const { context } = await startServer(await freshEnvironment(dialect));
    const clock = new ManualClock(NOON);
    const nodes = [1, 2].map(() => new Jobs(context.db, clock, systemIds, log));
    return { clock, nodes: nodes as [Jobs, Jobs], db: context.db };
  }

  test("a due job runs once for all nodes", async () => {
    const { clock, nodes } = await twoNodes();
    const runs: number[] = [];
    for (const [node, jobs] of nodes.entries()) {
      jobs.add({
        name: "count",
        everyMs: EVERY_MS,
        run: async () => void runs.push(node),
      });
      await jobs.start();
    }
    await Promise.all(nodes.map((jobs) => jobs.runDue()));
    expect(runs.length).toBe(0);
    clock.advance(EVERY_MS);
    await Promise.all(nodes.map((jobs) => jobs.runDue()));
    expect(runs.length).toBe(1);
    await Promise.all(nodes.map((jobs) => jobs.stop()));
  });

  test("a job that an upgrade brings can run at once, on one node, and then at its times", async () => {
    const { clock, nodes } = await twoNodes();
    let runs = 0;
    for (const jobs of nodes) {
      jobs.add({ name: "new", everyMs: EVERY_MS, firstAtOnce: true, run: async () => void runs++ });
      await jobs.start();
    }
    const after = async (ms: number) => {
      clock.advance(ms);
      for (const jobs of nodes) await jobs.runDue();
      return runs;
    };
    expect([await after(0), await after(EVERY_MS - 1), await after(1)]).toEqual([1, 1, 2]);
    await Promise.all(nodes.map((jobs) => jobs.stop()));
  });

  test("a node that dies during a job loses its lease, and another runs it", async () => {
    const { clock, nodes } = await twoNodes();
    const [dying, living] = nodes;
    let started = () => {};
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    dying.add({
      name: "work",
      everyMs: EVERY_MS,
      run: () => {
        started();
        return new Promise(() => {});
      },
    });
    let done = 0;
    living.add({ name: "work", everyMs: EVERY_MS, run: async () => void done++ });
    await dying.start();
    await living.start();
    clock.advance(EVERY_MS);
    void dying.runDue();
    await begun;
    await living.runDue();
    expect(done).toBe(0);
    clock.advance(JOB_LEASE_MS + 1);
    await living.runDue();
    expect(done).toBe(1);
  });

  test("a job that is woken runs soon and once although it is not due, on either node", async () => {
    const { clock, nodes } = await twoNodes();
    const runs: number[] = [];
    let ran = () => {};
    for (const [node, jobs] of nodes.entries()) {
      const run = async () => {
        runs.push(node);
        ran();
      };
      jobs.add({ name: "count", everyMs: EVERY_MS, run });
      await jobs.start();
    }
    const next = () =>
      new Promise<void>((resolve) => {
        ran = resolve;
      });
    const first = next();
    nodes[0].wake("count");
    nodes[0].wake("count");
    clock.advance(JOB_WAKE_MS);
    await first;
    await Promise.all(nodes.map((jobs) => jobs.stop()));
    await Promise.all(nodes.map((jobs) => jobs.runDue()));
    nodes[0].wake("count");
    clock.advance(JOB_WAKE_MS);
    expect(runs).toEqual([0]);
  });

  test("old words of products are rewritten soon after a stop or a failure in the middle", async () => {
    const clock = new ManualClock(NOON);
    const start = async (env: TestServer["env"]) => {
      const server = await startServer(env, { clock });
      const { db, jobs } = server.context;
      const left = async () =>
        (await db.all("SELECT 1 FROM products WHERE title_words = 'old'")).length;
      /** Does something else just before a page of products is read. */
      const beforePage = (page: number, act: () => void) => {
        const all = db.all.bind(db);
        let pages = 0;
        db.all = async (sql, ...values) => {
          if (sql.includes("title_words") && ++pages === page) act();
          return all(sql, ...values);
        };
      };
      return { ...server, db, jobs, left, beforePage };
    };
    const first = await start(await freshEnvironment(dialect));
    const row = (_: unknown, n: number) => ({
      site_key_hash: "one",
      product_id: `p-${1000 + n}`,
      title: "Rose",
      description: "Rose",
      availability: "in_stock",
      title_words: "old",
      body_words: "old",
      price_minor: 100,
      currency: "EUR",
      import_id: "imp_1",
      changed_at: NOON,
    });
    await first.db.transaction((tx) => tx.insert("products", Array.from({ length: 250 }, row)));
    let stopped = Promise.resolve();
    first.beforePage(2, () => {
      stopped = first.jobs.stop();
    });
    await first.jobs.runDue();
    await stopped;
    expect(await first.left()).toBe(50);
    await first.stop();

    const second = await start(first.env);
    await second.jobs.runDue();
    expect(await second.left()).toBe(50);
    clock.advance(MINUTE_MS);
    await second.db.run("UPDATE products SET title_words = 'old'");
    second.beforePage(3, () => {
      throw new Error("the disk is full");
    });
    await second.jobs.runDue();
    expect(await second.left()).toBe(50);
    expect(await failedJobs(second.db)).toMatchObject([{ name: "products.words" }]);
    clock.advance(MINUTE_MS);
    await second.jobs.runDue();
    expect([await second.left(), await failedJobs(second.db)]).toEqual([0, []]);
    const planned = "SELECT next_run_at FROM jobs WHERE name = 'products.words'";
    expect(await second.db.all(planned)).toEqual([{ next_run_at: clock.now() + DAY_MS }]);
  });

  test("a failure is recorded until a run succeeds, and the job stays scheduled", async () => {
    const { clock, nodes, db } = await twoNodes();
    const [jobs] = nodes;
    let fail = true;
    jobs.add({
      name: "shaky",
      everyMs: EVERY_MS,
      run: async () => {
        if (fail) throw new Error("the name server is down");
      },
    });
    await jobs.start();
    clock.advance(EVERY_MS);
    await jobs.runDue();
    expect(await failedJobs(db)).toEqual([{ name: "shaky", error: "the name server is down" }]);
    fail = false;
    clock.advance(EVERY_MS);
    await jobs.runDue();
    expect(await failedJobs(db)).toEqual([]);
  });
});

test("an outage of the database is logged once, not by every job", async () => {
  const { context } = await startServer(await freshEnvironment("sqlite"));
  await context.jobs.stop();
  const clock = new ManualClock(NOON);
  const events: string[] = [];
  const noting = createLog("warn", (line) => void events.push(JSON.parse(line).event));
  const jobs = new Jobs(context.db, clock, systemIds, noting);
  // The database goes away while the first of them runs.
  const run = async () => {
    await context.db.close();
    throw new DatabaseUnavailableError("the connection was lost");
  };
  for (const name of ["first", "second", "third"]) jobs.add({ name, everyMs: EVERY_MS, run });
  await jobs.start();
  clock.advance(EVERY_MS);
  await jobs.runDue();
  await jobs.runDue();
  expect(events).toEqual(["database.unreachable"]);
  await jobs.stop();
});

test("a job that takes long does not delay another", async () => {
  const { context } = await startServer(await freshEnvironment("sqlite"));
  const clock = new ManualClock(NOON);
  const jobs = new Jobs(context.db, clock, systemIds, log);
  let end = () => {};
  let slow = 0;
  const run = () => {
    slow++;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  jobs.add({ name: "slow", everyMs: JOB_TICK_MS, run });
  let ran = () => {};
  jobs.add({ name: "quick", everyMs: JOB_TICK_MS, run: async () => ran() });
  await jobs.start();
  for (let i = 0; i < 3; i++) {
    const again = new Promise<void>((resolve) => {
      ran = resolve;
    });
    // Until the look before has ended there is no next one to come to.
    const turn = setInterval(() => clock.advance(JOB_TICK_MS), 1);
    await again;
    clearInterval(turn);
  }
  expect(slow).toBe(1);
  end();
  await jobs.stop();
});

test("the clock drives the runner, so nothing runs while it stands still", async () => {
  const { context } = await startServer(await freshEnvironment("sqlite"));
  const clock = new ManualClock(NOON);
  const jobs = new Jobs(context.db, clock, systemIds, log);
  let ran = () => {};
  const first = new Promise<void>((resolve) => {
    ran = resolve;
  });
  jobs.add({ name: "tick", everyMs: JOB_TICK_MS, run: async () => ran() });
  let count = 0;
  void first.then(() => count++);
  await jobs.start();
  await new Promise((resolve) => setImmediate(resolve));
  expect(count).toBe(0);
  clock.advance(JOB_TICK_MS);
  await first;
  await jobs.stop();
});
