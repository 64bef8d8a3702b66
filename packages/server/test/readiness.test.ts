import { describe, expect, test } from "vitest";
import { ManualClock } from "../src/platform/clock.ts";
import { CLOCK_SKEW_MS_MAX, recordHeartbeat } from "../src/platform/installation/clock-check.ts";
import { answerOf, DATABASES, freshEnvironment, startServer, type TestServer } from "./harness.ts";

const ready = async ({ url }: TestServer) => answerOf(await fetch(`${url}/readyz`));

describe.each(DATABASES)("readiness on %s", (dialect) => {
  test("is ready when database, keys and clock are", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    expect(await ready(server)).toMatchObject({ status: 200, body: { status: "ready" } });
  });

  test("names the failing part and nothing else", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    await server.context.db.run("DELETE FROM signing_keys WHERE purpose = 'audit'");
    const { status, body, headers } = await ready(server);
    expect([status, body]).toEqual([503, { status: "not_ready", failing: ["keys"] }]);
    expect([headers.get("retry-after"), headers.get("cache-control")]).toEqual(["5", "no-store"]);
  });

  test("a clock that has run backwards is not ready", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const { db, clock } = server.context;
    await recordHeartbeat(db, clock.now() + CLOCK_SKEW_MS_MAX + 5000);
    expect((await ready(server)).body.failing).toEqual(["clock"]);
  });

  test("a restart does not hide that the clock has run backwards", async () => {
    const env = await freshEnvironment(dialect);
    const server = await startServer(env);
    const { db, clock } = server.context;
    await recordHeartbeat(db, clock.now() + CLOCK_SKEW_MS_MAX + 5000);
    await server.stop();
    expect((await ready(await startServer(env))).body.failing).toEqual(["clock"]);
  });

  test("a database that is gone makes it not ready, alive, and fail closed", async () => {
    const server = await startServer(await freshEnvironment(dialect));
    await server.context.jobs.stop();
    await server.context.db.close();
    expect((await ready(server)).body.failing).toContain("database");
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

test("a clock far off the PostgreSQL server's is not ready", async () => {
  const clock = new ManualClock(Date.UTC(2020, 0, 1));
  const server = await startServer(await freshEnvironment("postgres"), { clock });
  expect((await ready(server)).body.failing).toEqual(["clock"]);
});
