import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { selling } from "../selling/selling.ts";
import { type Buyer, newMandateId, POLICY, type Shop, submitting } from "./submitting.ts";

const MINUTE_MS = 60_000;

describe.each(TIER_DATABASES)("limits of mandates, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let agent: ReturnType<typeof submitting>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    const limits = { GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000" };
    server = await startServer({ ...env, ...limits }, { clock });
    agent = submitting(server);
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(60 * MINUTE_MS);
    shop = await agent.shop();
    buyer = await agent.buyer(shop);
  });

  const ap2 = (cart_total: string, cart_currency = "EUR") => ({
    protocol_context: { protocol: "ap2", cart_total, cart_currency },
  });
  const outcomes = (answers: readonly { body: JsonObject }[]) => {
    const counts: Record<string, number> = {};
    for (const { body } of answers) {
      const name = String(body.reason ?? body.outcome);
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };

  test("an agent may send sixty a minute, and the last of a site's hundred and twenty are for newcomers", async () => {
    const others = [await agent.buyer(shop), await agent.buyer(shop)];
    const answers = [];
    for (const by of [buyer, ...others]) {
      answers.push(
        ...(await Promise.all(Array.from({ length: 61 }, () => agent.submit(shop, by)))),
      );
    }
    // 60 of its own; what is left of the 100 that are open to all; and a small share of the rest.
    expect(outcomes(answers)).toEqual({ approved: 60 + 40 + 4, rate_limited: 79 });
    const limited = answers.find(({ body }) => body.outcome === "rate_limited");
    expect([limited?.status, limited?.body.retry_after_seconds]).toEqual([429, 60]);
    expect(limited?.headers.get("retry-after")).toBe("60");
    clock.advance(MINUTE_MS);
    expect((await agent.submit(shop, buyer)).status).toBe(200);
  });

  test("a budget of 1,000 allows exactly ten of fifty concurrent orders of 100", async () => {
    const spend = { scope: "agent", window: "P1D", would_exceed: { EUR: "1000.00" } };
    const rules = [
      { id: "all", effect: "allow", when: { skill: { exists: true } } },
      { id: "day", effect: "deny", when: { all: [{ skill: { eq: "place_order" } }, { spend }] } },
    ];
    const at = selling(server);
    const roses = await at.shop({
      policy: "rules/1",
      timezone: "UTC",
      default: "deny",
      rules,
    } as never);
    const buyers = [await at.buyer(roses), await at.buyer(roses)];
    // Each agent has its own.
    for (const by of buyers) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => at.order(roses, by)));
      expect(outcomes(answers)).toEqual({ approved: 10, budget_exceeded: 40 });
    }
    const vase = { items: [{ id: "vase", quantity: 1 }], total: "12.50" };
    clock.advance(24 * 60 * MINUTE_MS - 1);
    expect((await at.order(roses, buyers[0] as Buyer, vase)).body.reason).toBe("budget_exceeded");
    clock.advance(1);
    expect((await at.order(roses, buyers[0] as Buyer, vase)).status).toBe(200);
  });

  test("a request that moves no money uses no budget, whatever its cart says", async () => {
    const spend = { scope: "site", window: "P1D", would_exceed: { EUR: "1000.00" } };
    const rules = [
      ...POLICY.rules,
      { id: "day", effect: "deny", when: { all: [{ protocol: { eq: "ap2" } }, { spend }] } },
    ];
    await shop.admin("PUT", "/policy", { ...POLICY, rules });
    for (let n = 0; n < 3; n++) {
      expect((await agent.submit(shop, buyer, ap2("1000.00"))).status).toBe(200);
    }
    // Sums that no longer fit are compared all the same, not failed on.
    for (let n = 0; n < 3; n++) {
      const huge = await agent.submit(shop, buyer, ap2("900719925474.0991", "CLF"));
      expect([huge.status, huge.body.outcome]).not.toContain(500);
    }
  });

  test("a count over a time window is exact to the decision", async () => {
    const velocity = {
      ...POLICY,
      rules: [
        ...POLICY.rules,
        { id: "fast", effect: "deny", when: { count: { scope: "site", window: "PT10M", gt: 4 } } },
      ],
    };
    await shop.admin("PUT", "/policy", velocity);
    const answers = await Promise.all(Array.from({ length: 9 }, () => agent.submit(shop, buyer)));
    expect(outcomes(answers)).toEqual({ approved: 4, budget_exceeded: 5 });
    clock.advance(10 * MINUTE_MS);
    expect((await agent.submit(shop, buyer)).status).toBe(200);
  });

  test("twenty invalid mandates lock an agent for 5, then 15, then 60 minutes", async () => {
    const wrong = () => agent.submit(shop, buyer, { skill: "contact_support" });
    for (const minutes of [5, 15, 60]) {
      for (let n = 0; n < 20; n++) expect((await wrong()).body.reason).toBe("policy_denied");
      const locked = await agent.submit(shop, buyer);
      expect([locked.status, locked.body.reason]).toEqual([429, "agent_temporarily_locked"]);
      expect(locked.headers.get("retry-after")).toBe(String(minutes * 60));
      clock.advance(minutes * MINUTE_MS - 1);
      expect((await agent.submit(shop, buyer)).status).toBe(429);
      clock.advance(10 * MINUTE_MS);
      expect((await agent.submit(shop, buyer)).status).toBe(200);
    }
  });

  test("the owner of a key cannot fill the log: beyond sixty a minute, rejections share one record", async () => {
    const late = { expires_at: new Date(clock.now() - 10 * MINUTE_MS).toISOString() };
    const sent = agent.mandate(shop, buyer, {
      ...late,
      issued_at: new Date(clock.now() - 20 * MINUTE_MS).toISOString(),
    });
    const body = await signMandate(sent, buyer.key.signer);
    for (let n = 0; n < 70; n++) {
      expect((await agent.send(shop, body)).body.reason).toBe("mandate_expired");
    }
    expect(await agent.records(shop)).toHaveLength(60);
    clock.advance(MINUTE_MS);
    await agent.send(shop, body);
    const [folded] = await agent.records(shop, "refusals.folded");
    expect(folded.record).toMatchObject({
      agent: { id: buyer.agentId },
      refusals: { count: 10, reason_codes: ["mandate_expired"] },
    });
  });

  test("a clock that was ahead and is corrected locks nobody out", async () => {
    clock.advance(24 * 60 * MINUTE_MS);
    expect((await agent.submit(shop, buyer)).status).toBe(200);
    clock.advance(-24 * 60 * MINUTE_MS);
    const accepted = { reason: "The clock was a day ahead." };
    expect((await server.admin("POST", "/v1/admin/clock/accept", accepted)).status).toBe(200);
    expect((await agent.submit(shop, buyer)).status).toBe(200);
  });

  test("one invalid mandate sent thirty times counts once", async () => {
    const fields = { skill: "contact_support", mandate_id: newMandateId() };
    const body = await signMandate(agent.mandate(shop, buyer, fields), buyer.key.signer);
    for (let n = 0; n < 30; n++) await agent.send(shop, body);
    expect((await agent.submit(shop, buyer)).status).toBe(200);
    expect(await agent.records(shop)).toHaveLength(2);
  });

  test("forged mandates lock out their sender, never the agent that they name", async () => {
    const good = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    const forge = () => {
      const signed = { ...agent.mandate(shop, buyer) };
      return agent.send(shop, {
        signed,
        envelope: { ...good.envelope, signature: "A".repeat(86) },
      });
    };
    const answers = [];
    for (let n = 0; n < 70; n++) answers.push(await forge());
    expect(outcomes(answers)).toEqual({ signature_invalid: 10, agent_temporarily_locked: 60 });
    const late = answers.at(-1);
    expect([late?.status, Number(late?.headers.get("retry-after")) > 0]).toEqual([429, true]);
    // From the very same address, the next one that is right is approved at once.
    expect((await agent.send(shop, good)).status).toBe(200);
    for (let n = 0; n < 20; n++) await agent.send(shop, good);
    expect(await agent.records(shop)).toHaveLength(11);
    clock.advance(MINUTE_MS);
    await forge();
    const [folded] = await agent.records(shop, "refusals.folded");
    expect(folded.record.refusals).toMatchObject({
      count: 60,
      counts: { agent_temporarily_locked: 60 },
      reason_codes: ["agent_temporarily_locked"],
    });
  });

  test("nothing is stored under the id of a mandate without a valid signature", async () => {
    const fields = { mandate_id: newMandateId() };
    const body = await signMandate(agent.mandate(shop, buyer, fields), buyer.key.signer);
    const forged = { ...body, envelope: { ...body.envelope, signature: "A".repeat(86) } };
    await agent.send(shop, forged);
    expect((await agent.send(shop, body)).status).toBe(200);
  });
});
