import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import type { Database } from "../../src/infra/db/database.ts";
import {
  answerOf,
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  TIER_DATABASES,
} from "../harness.ts";

const PER_MINUTE = 5;
const SENT = 40;

/** Counts what is read outside of transactions. */
function counting(db: Database, count: () => void): Database {
  return new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "get" || name === "all") count();
        return value.apply(target, args);
      };
    },
  });
}

describe.each(TIER_DATABASES)("a flood of unknown site keys, on %s,", (dialect) => {
  let url: string;
  let reads = 0;
  const clock = new ManualClock(NOON);
  beforeAll(async () => {
    const env = {
      ...(await freshEnvironment(dialect)),
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: String(PER_MINUTE),
    };
    const database = (db: Database) => counting(db, () => reads++);
    const server = await startServer(env, { clock, database });
    await server.context.jobs.stop();
    url = server.url;
    return cleanUp;
  });

  const key = (n: number) => `us_${String(n).padStart(43, "A")}`;
  const send = async (n: number, path: string) =>
    answerOf(
      await fetch(`${url}/v1/m/${key(n)}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      }),
    );

  test.each([
    "mandate",
    "agents/challenge",
    "agents",
    "agents/agt_AAAAAAAAAAAAAAAAAAAAAAAA/keys",
    "escalations/esc_AAAAAAAAAAAAAAAAAAAAAAAA/withdraw",
  ])("is not looked up beyond the sender's rate (%s)", async (path) => {
    clock.advance(60_000);
    const before = reads;
    const statuses: number[] = [];
    let allowed = 0;
    for (let n = 0; n < SENT; n++) {
      const { status } = await send(n, path);
      statuses.push(status);
      if (status === 404) allowed = reads - before;
    }
    expect(statuses.filter((status) => status === 404)).toHaveLength(PER_MINUTE);
    expect(statuses.filter((status) => status === 429)).toHaveLength(SENT - PER_MINUTE);
    expect(allowed).toBeGreaterThan(0);
    expect(reads - before).toBe(allowed);
  });
});
