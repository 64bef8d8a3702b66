import { beforeAll, describe, expect, test } from "vitest";
import { newKey, registering } from "../agents/registering.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";

/** Two roses a day for each agent. */
const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "sell", effect: "allow", when: { skill: { eq: "place_order" } } },
    {
      id: "budget",
      effect: "deny",
      when: { spend: { scope: "agent", window: "P1D", would_exceed: { EUR: "250.00" } } },
    },
  ],
};

describe.each(TIER_DATABASES)("agents of one identity on %s", (dialect) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect));
    return cleanUp;
  });

  /** Registers an agent whose key its origin publishes, and has it admitted by that. */
  async function admittedBy(origin: string, shop: Shop): Promise<Buyer> {
    const key = await newKey();
    const address = `${origin}/${key.kid}.json`;
    const made = await registering(server).registerPublished(shop, key, address);
    expect([made.status, made.body.status]).toEqual([201, "active"]);
    return { agentId: made.body.agent_id, key };
  }

  test("share one budget, however many their origin admits, and other agents have their own", async () => {
    const at = selling(server);
    const shop = await at.shop(POLICY as never);
    const origins = ["https://keys.agents.example", "https://more.agents.example:8443"];
    await shop.admin("PATCH", "/mandates", { auto_admit: origins });
    const outcomes = [];
    for (const origin of [...origins, ...origins]) {
      const buyer = await admittedBy(origin, shop);
      const { outcome, reason } = (await at.order(shop, buyer)).body;
      outcomes.push(reason ?? outcome);
    }
    const spent = "budget_exceeded";
    expect(outcomes).toEqual(["approved", "approved", spent, spent]);
    const known = await at.buyer(shop);
    expect((await at.order(shop, known)).body.outcome).toBe("approved");
  });

  /** A shop with two agents that one origin admitted, and one that the owner did. */
  async function twoOfOne(rules: readonly object[]) {
    const at = selling(server);
    const shop = await at.shop({ ...POLICY, rules } as never);
    const [one, two] = [await at.buyer(shop), await at.buyer(shop)];
    await server.context.db.run(
      "UPDATE agents SET identity = 'keys.example' WHERE site_key_hash = ?",
      shop.site_key_hash,
    );
    const other = await at.buyer(shop);
    const reasonOf = async (buyer: typeof one) => {
      const { outcome, reason } = (await at.order(shop, buyer)).body;
      return reason ?? outcome;
    };
    return { one, two, other, reasonOf };
  }
  const SELL = { id: "sell", effect: "allow", when: { skill: { eq: "place_order" } } };

  test("share one count of purchases, so that a second agent is no faster", async () => {
    const count = { scope: "agent", window: "PT1H", gt: 2 };
    const fast = { id: "fast", effect: "deny", when: { count } };
    const { one, two, other, reasonOf } = await twoOfOne([SELL, fast]);
    expect([await reasonOf(one), await reasonOf(two)]).toEqual(["approved", "approved"]);
    expect([await reasonOf(one), await reasonOf(two)]).toEqual([
      "budget_exceeded",
      "budget_exceeded",
    ]);
    expect(await reasonOf(other)).toBe("approved");
  });
});
