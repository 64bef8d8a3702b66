import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLOCK_SKEW_MS } from "@gatehouse/protocol";
import { describe, expect, test, vi } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { databaseTimeOf, recordHeartbeat } from "../src/infra/installation/clock-check.ts";
import {
  answerOf,
  createSite,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "./harness.ts";
import { submitting } from "./mandates/submitting.ts";
import { selling } from "./selling/selling.ts";
import { RUNS_OF_A_BODY } from "./twice.ts";

const ready = async ({ url }: TestServer) => answerOf(await fetch(`${url}/readyz`));

describe.each(DATABASES)("readiness on %s:", (dialect) => {
  test("the service is ready if the database, the keys and the clock are", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    expect(await ready(server)).toMatchObject({ status: 200, body: { status: "ready" } });
  });

  test("the answer names the failing part and nothing else", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    await server.context.db.run("DELETE FROM signing_keys WHERE purpose = 'audit'");
    const { status, body, headers } = await ready(server);
    expect([status, body]).toEqual([503, { status: "not_ready", failing: ["keys"] }]);
    expect([headers.get("retry-after"), headers.get("cache-control")]).toEqual(["5", "no-store"]);
  });

  test("a clock that has run backwards makes it not ready", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const { db, clock } = server.context;
    await recordHeartbeat(db, clock.now() + CLOCK_SKEW_MS + 5000);
    expect((await ready(server)).body.failing).toEqual(["clock"]);
  });

  test("a restart does not hide that the clock has run backwards", async () => {
    const env = await freshEnvironment(dialect);
    const server = await startServer(env);
    const { db, clock } = server.context;
    await recordHeartbeat(db, clock.now() + CLOCK_SKEW_MS + 5000);
    await server.stop();
    expect((await ready(await startServer(env))).body.failing).toEqual(["clock"]);
  });

  test("without its database the service is alive, not ready, and approves nothing", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    await server.context.jobs.stop();
    await server.context.db.close();
    expect((await ready(server)).body.failing).toEqual(["database"]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test("many requests at once write one row once, and nothing to a log", async () => {
    const clock = new ManualClock(NOON);
    const server = await startServer(await freshEnvironment(dialect), { clock });
    const { db, jobs } = server.context;
    await createSite(server, "shop.example.com");
    await jobs.stop();
    const records = () => db.all("SELECT record_id FROM audit_records");
    const before = await records();
    const written = vi.spyOn(db, "transaction");
    await Promise.all(Array.from({ length: 30 }, () => ready(server)));
    expect(written).toHaveBeenCalledTimes(RUNS_OF_A_BODY);
    clock.advance(1000);
    await Promise.all(Array.from({ length: 30 }, () => ready(server)));
    expect(written).toHaveBeenCalledTimes(2 * RUNS_OF_A_BODY);
    expect(await records()).toEqual(before);
    const rows = await db.all("SELECT value FROM installation WHERE name = 'write_probe'");
    expect(rows).toEqual([{ value: "" }]);
  });
});

test("a clock far from the PostgreSQL server's makes the service not ready", async () => {
  const clock = new ManualClock(Date.UTC(2020, 0, 1));
  const databaseTime = databaseTimeOf("postgres");
  const server = await startServer(await freshEnvironment("postgres"), { clock, databaseTime });
  expect((await ready(server)).body.failing).toEqual(["clock"]);
});

describe("readiness on SQLite:", () => {
  /** A shop on a disk whose room a test sets. */
  async function onDisk() {
    const clock = new ManualClock(NOON);
    const env = await freshEnvironment("sqlite");
    const server = await startServer(env, { clock });
    await server.context.jobs.stop();
    const agent = submitting(server);
    const shop = await agent.shop();
    const buyer = await agent.buyer(shop);
    const { raw } = (
      server.context.db as unknown as { writer: { raw: { exec(sql: string): void } } }
    ).writer;
    const file = join(env.GATEHOUSE_DATA_DIR as string, "gatehouse.db");
    return {
      clock,
      server,
      file,
      raw,
      mandate: async () => (await agent.submit(shop, buyer)).body.outcome,
      /** No page more than there are now. */
      fill: () => raw.exec("PRAGMA max_page_count = 1"),
      enlarge: () => raw.exec("PRAGMA max_page_count = 1000000"),
    };
  }

  test("a node with a full disk is not ready until there is space", async () => {
    const { clock, server, mandate, fill, enlarge } = await onDisk();
    expect(await mandate()).toBe("approved");
    fill();
    const outcomes: string[] = [];
    while (outcomes.at(-1) !== "unavailable") outcomes.push(await mandate());
    expect((await ready(server)).body).toEqual({ status: "not_ready", failing: ["disk"] });
    enlarge();
    clock.advance(1000);
    expect((await ready(server)).status).toBe(200);
    expect(await mandate()).toBe("approved");
  });

  test("a full disk is noticed before the first decision", async () => {
    const { server, fill } = await onDisk();
    fill();
    expect((await ready(server)).body.failing).toEqual(["disk"]);
  });

  test("a destroyed database file is named as the database, and nothing else", async () => {
    const { clock, server, file } = await onDisk();
    expect((await ready(server)).status).toBe(200);
    for (const name of [file, `${file}-wal`]) {
      writeFileSync(name, Buffer.alloc(statSync(name).size, "x"));
    }
    clock.advance(1000);
    expect((await ready(server)).body.failing).toEqual(["database"]);
  });

  test("a deleted database file is named as the database, because writes are lost", async () => {
    const { server, file } = await onDisk();
    rmSync(file);
    expect((await ready(server)).body.failing).toEqual(["database"]);
  });
});

test("without PostgreSQL the admin API says so to whoever reads, and does not speak of approvals", async () => {
  const server = await startServer(await freshEnvironment("postgres"));
  await server.context.jobs.stop();
  await server.context.db.close();
  const read = await server.admin("GET", "/v1/admin/sites");
  expect([read.status, read.body.message, read.headers.get("retry-after")]).toEqual([
    503,
    "The service cannot use its database now, so nothing was read or changed. GET /readyz says what fails.",
    "5",
  ]);
});

test("a payment provider that is down shows in the metrics, and the node stays ready", async () => {
  const down = () => Promise.reject(new Error("the connection was lost"));
  const server = await startServer(await freshEnvironment("sqlite"), {
    processor: (sandbox) => ({ ...sandbox, authorize: down, amountFault: () => undefined }),
  });
  const at = selling(server);
  const shop = await at.shop();
  expect((await at.order(shop, await at.buyer(shop))).body.outcome).toBe("unavailable");
  expect((await ready(server)).status).toBe(200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(
    /^gatehouse_provider_calls_total\{provider="sandbox",result="failed"\} [1-9]/m,
  );
});
