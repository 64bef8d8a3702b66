import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { takeExact } from "../../src/infra/rate-limit/exact.ts";
import {
  cleanUp,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import { type Buyer, type Shop, submitting } from "./submitting.ts";

const HOUR_MS = 3_600_000;
const PER_SITE = 12;
/** Of those, what anybody may use up. */
const OPEN = 10;
const PER_AGENT = 8;

describe.each(DATABASES)("the mandates that a site accepts in a minute, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let agent: ReturnType<typeof submitting>;
  let shop: Shop;
  let buyers: Buyer[];
  beforeAll(async () => {
    const env = {
      ...(await freshEnvironment(dialect)),
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000",
      GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: String(PER_SITE),
      GATEHOUSE_MANDATES_PER_AGENT_PER_MINUTE: String(PER_AGENT),
    };
    server = await startServer(env, { clock });
    agent = submitting(server);
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(HOUR_MS);
    await server.context.db.run("DELETE FROM exact_limits");
    shop = await agent.shop();
    buyers = [await agent.buyer(shop), await agent.buyer(shop), await agent.buyer(shop)];
  });

  /** How many of so many mandates sent at once are approved. */
  async function approvedOf(count: number, by: number): Promise<number> {
    const sent = Array.from({ length: count }, () => agent.submit(shop, buyers[by] as Buyer));
    const answers = await Promise.all(sent);
    return answers.filter(({ status }) => status === 200).length;
  }
  /** The row that all processes share for the site. */
  const siteRow = async () => {
    const sql = "SELECT limit_key FROM exact_limits WHERE limit_key LIKE ?";
    const rows = await server.context.db.all<{ limit_key: string }>(sql, "mandates %");
    const keys = rows.map(({ limit_key: key }) => key);
    return keys.find((key) => key.split(" ").length === 2) as string;
  };

  test("are not all for the most active agent, so a newcomer gets one", async () => {
    expect(await approvedOf(20, 0)).toBe(PER_AGENT);
    expect(await approvedOf(20, 1)).toBe(OPEN - PER_AGENT);
    expect(await approvedOf(1, 2)).toBe(1);
  });

  test("are not used up by mandates that an agent's own limit refuses", async () => {
    const { db } = server.context;
    expect(await approvedOf(1, 0)).toBe(1);
    // As if the agent had sent its other mandates to another process.
    await db.run(
      "UPDATE exact_limits SET arrival_us = ? WHERE limit_key LIKE ?",
      (clock.now() + 60_000) * 1000,
      `mandates % ${buyers[0]?.agentId}`,
    );
    expect(await approvedOf(20, 0)).toBe(0);
    expect(await approvedOf(20, 1)).toBe(PER_AGENT);
  });

  test("do not cost an agent its own limit when the site refuses, in any process", async () => {
    const { db } = server.context;
    expect(await approvedOf(1, 0)).toBe(1);
    const key = await siteRow();
    await db.run("DELETE FROM exact_limits");
    for (let n = 0; n < PER_SITE; n++) {
      const rate = { perMinute: PER_SITE };
      expect(await db.transaction((tx) => takeExact(tx, key, rate, clock.now()))).toBe(true);
    }
    expect(await approvedOf(20, 0)).toBe(0);
    await db.run("DELETE FROM exact_limits WHERE limit_key = ?", key);
    expect(await approvedOf(1, 0)).toBe(1);
  });

  test("are partly reserved for newcomers of every process, by the row they share", async () => {
    expect(await approvedOf(2, 0)).toBe(2);
    expect(await approvedOf(1, 1)).toBe(1);
    const { db } = server.context;
    const key = await siteRow();
    // Another process has taken what is open to all.
    for (let n = 3; n < OPEN; n++) {
      const rate = { perMinute: PER_SITE };
      await db.transaction((tx) => takeExact(tx, key, rate, clock.now()));
    }
    expect(await approvedOf(5, 0)).toBe(0);
    expect(await approvedOf(1, 2)).toBe(1);
  });
});
