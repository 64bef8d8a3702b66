import { beforeAll, describe, expect, test } from "vitest";
import { cleanUp, DATABASES, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { selling } from "../selling/selling.ts";

/** Two roses a day for each agent. */
const POLICY = {
  ...{ policy: "rules/1", timezone: "UTC", default: "deny" },
  rules: [
    { id: "sell", effect: "allow", when: { skill: { eq: "place_order" } } },
    {
      ...{ id: "budget", effect: "deny" },
      when: { spend: { scope: "agent", window: "P1D", would_exceed: { EUR: "250.00" } } },
    },
  ],
};

describe.each(DATABASES)("agents of one identity on %s", (dialect) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect));
    return cleanUp;
  });

  test("share one budget, however many there are, and others have their own", async () => {
    const at = selling(server);
    const shop = await at.shop(POLICY as never);
    const buyers = [await at.buyer(shop), await at.buyer(shop), await at.buyer(shop)];
    // As the origin of their key source leaves them when it admits them.
    await server.context.db.transaction((tx) =>
      tx.run(
        "UPDATE agents SET identity = 'keys.example' WHERE site_key_hash = ?",
        shop.site_key_hash,
      ),
    );
    const outcomes = [];
    for (const buyer of buyers) {
      const { outcome, reason } = (await at.order(shop, buyer)).body;
      outcomes.push(reason ?? outcome);
    }
    expect(outcomes).toEqual(["approved", "approved", "budget_exceeded"]);
    const known = await at.buyer(shop);
    expect((await at.order(shop, known)).body.outcome).toBe("approved");
  });
});
