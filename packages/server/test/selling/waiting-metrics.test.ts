import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { checkPayments } from "../../src/maintenance/doctor-sales.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { selling } from "./selling.ts";

describe.each(TIER_DATABASES)("the metrics, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    await server.context.jobs.stop();
    return cleanUp;
  });

  const measured = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const lines = text.split("\n").map((line) => line.split(" "));
    const of = (name: string) => lines.find(([first]) => first === `gatehouse_${name}`)?.[1];
    return ["reviews_waiting", "payments_open", "payments_open_oldest_seconds"].map(of);
  };

  test("count pending reviews and payments with an unknown outcome, with the age of the oldest", async () => {
    const at = selling(server);
    const shop = await at.shop();
    expect(await measured()).toEqual(["0", "0", "0"]);
    await at.importLines(shop, [{ id: "palm", title: "A palm", price: "600.00", currency: "EUR" }]);
    const palm = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
    const buyer = await at.buyer(shop);
    const { body } = await at.order(shop, buyer, palm);
    expect(body.outcome).toBe("escalated");
    await at.order(shop, buyer, { token: "pm_sandbox_timeout" });
    clock.advance(90_000);
    expect(await measured()).toEqual(["1", "1", "90"]);
    const { body: declines } = await shop.admin("GET", "/declines");
    expect(declines).toMatchObject({
      unresolved: 1,
      unresolved_since: new Date(NOON).toISOString(),
    });
    // A provider may take a while; after ten minutes doctor says that it does not answer.
    const { db } = server.context;
    expect(await checkPayments(db, NOON + 9 * 60_000)).toEqual([]);
    expect(await checkPayments(db, NOON + 10 * 60_000)).toEqual([
      expect.objectContaining({
        part: "payments",
        verdict: "warning",
        message: expect.stringMatching(/^1 payment has no known outcome, the oldest since /),
      }),
    ]);
    await shop.admin("POST", `/escalations/${body.escalation_id}/deny`, { reason_code: "other" });
    expect((await measured())[0]).toBe("0");
  });
});
