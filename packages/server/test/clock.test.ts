import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { answerOf, DATABASES, freshEnvironment, NOON, startServer } from "./harness.ts";
import { POLICY, submitting } from "./mandates/submitting.ts";
import { cart, selling } from "./selling/selling.ts";
import { openWorld, ROSE } from "./ucp/buying.ts";

const HOUR_MS = 3_600_000;
const ASK = { id: "ask", effect: "escalate", when: { skill: { eq: "contact_support" } } };
const ASKING = { ...POLICY, rules: [POLICY.rules[0], ASK] } as unknown as JsonObject;
const ACCEPT = "/v1/admin/clock/accept";

describe.each(DATABASES)("while the clock is behind a time it has shown, on %s,", (dialect) => {
  async function start() {
    const clock = new ManualClock(NOON);
    const env = await freshEnvironment(dialect);
    const server = await startServer(env, { clock });
    const ready = async () => answerOf(await fetch(`${server.url}/readyz`));
    return { clock, env, server, ready };
  }

  test("a mandate that was rejected as expired is not approved, nor is any other", async () => {
    const { clock, server, ready } = await start();
    const agent = submitting(server);
    const shop = await agent.shop();
    const buyer = await agent.buyer(shop);
    const approved = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    const first = await agent.send(shop, approved);
    const old = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    clock.advance(2 * HOUR_MS);
    expect((await agent.send(shop, old)).body.reason).toBe("mandate_expired");
    expect((await agent.submit(shop, buyer)).status).toBe(200);
    clock.advance(-2 * HOUR_MS);
    const refused = await agent.send(shop, old);
    expect([refused.status, refused.body.outcome]).toEqual([503, "unavailable"]);
    expect((await agent.submit(shop, buyer)).body.outcome).toBe("unavailable");
    expect((await ready()).body).toEqual({ status: "not_ready", failing: ["clock"] });
    // What was decided before stays decided.
    expect((await agent.send(shop, approved)).body).toEqual(first.body);
  });

  test("an order is not approved by mandate, by tool call, or by the shop's checkout", async () => {
    const clock = new ManualClock(NOON);
    const world = await openWorld(dialect, clock);
    try {
      const { server, at } = world;
      const sells = selling(server);
      const shop = await at.shop();
      const checkout = await at.ready(shop, ROSE);
      const roses = await sells.shop();
      const buyer = await sells.buyer(roses);
      expect((await sells.order(roses, buyer)).status).toBe(200);
      clock.advance(-10 * 60_000);
      expect((await sells.order(roses, buyer)).body.outcome).toBe("unavailable");
      const { arguments: items } = cart();
      const mandate = await sells.signed(roses, buyer, { protocol: "mcp" });
      const called = await sells.call(roses, { ...(items as JsonObject), mandate });
      expect(JSON.stringify(called)).toContain("unavailable");
      const completed = await at.complete(shop, checkout.id);
      expect([completed.status, completed.body.code]).toEqual([503, "unavailable"]);
      expect(await sells.authorizations(roses)).toHaveLength(1);
      expect(await at.authorizations(shop)).toEqual([]);
    } finally {
      await world.close();
    }
  });

  test("a review cannot be approved and stays pending, until the operator accepts the time", async () => {
    const { clock, server, ready } = await start();
    const agent = submitting(server);
    const shop = await agent.shop(ASKING);
    const buyer = await agent.buyer(shop);
    await agent.submit(shop, buyer);
    const { body } = await agent.submit(shop, buyer, { skill: "contact_support" });
    clock.advance(-20 * 60_000);
    const path = `/escalations/${body.escalation_id}`;
    const refused = await shop.admin("POST", `${path}/approve`, {});
    expect([refused.status, refused.body.error]).toEqual([503, "unavailable"]);
    expect(refused.body.message).toMatch(/clock .* is wrong.*accept its time/);
    expect(refused.body.docs_url).toMatch(/\/docs\/operations\/clock\.md$/);
    expect((await shop.admin("GET", path)).body.status).toBe("pending");

    const owner = (await shop.admin("POST", "/tokens", { name: "O", role: "owner" })).body.token;
    const reason = "the clock was ahead since the move";
    expect((await server.admin("POST", ACCEPT, { reason }, owner)).status).toBe(403);
    expect((await server.admin("POST", ACCEPT, {})).status).toBe(400);
    const accepted = await server.admin("POST", ACCEPT, { reason });
    expect([accepted.status, accepted.body]).toEqual([
      200,
      {
        accepted_at: new Date(NOON - 20 * 60_000).toISOString(),
        last_seen_at: new Date(NOON).toISOString(),
      },
    ]);
    const log = "/v1/admin/installation/audit/records?type=clock.accepted";
    expect((await server.admin("GET", log)).body.items).toMatchObject([
      { record: { actor: { id: "operator" }, clock: { reason, ...accepted.body } } },
    ]);
    clock.advance(1000);
    expect((await ready()).status).toBe(200);
    expect((await shop.admin("POST", `${path}/approve`, {})).body.status).toBe("approved");
    expect((await agent.submit(shop, buyer)).status).toBe(200);
    const again = await server.admin("POST", ACCEPT, { reason });
    expect([again.status, again.body.error]).toEqual([409, "conflict"]);
  });

  test("other processes, and ones that start later, approve nothing either", async () => {
    const { clock, env, server } = await start();
    const agent = submitting(server);
    const shop = await agent.shop();
    const buyer = await agent.buyer(shop);
    await agent.submit(shop, buyer);
    await server.context.jobs.runDue();
    const second = await startServer(env, { clock });
    const other = submitting(second);
    const outcome = async () => (await other.submit(shop, buyer)).body.outcome;
    expect(await outcome()).toBe("approved");
    clock.advance(-HOUR_MS);
    expect(await outcome()).toBe("unavailable");
    await server.admin("POST", ACCEPT, { reason: "it was ahead" });
    expect(await outcome()).toBe("approved");
  });
});

test("a clock that differs from the database's approves nothing, and cannot be accepted", async () => {
  const clock = new ManualClock(NOON);
  let databaseNow = NOON;
  const server = await startServer(await freshEnvironment("postgres"), {
    clock,
    databaseTime: async () => databaseNow,
  });
  const agent = submitting(server);
  const shop = await agent.shop();
  const buyer = await agent.buyer(shop);
  expect((await agent.submit(shop, buyer)).status).toBe(200);
  databaseNow = NOON + HOUR_MS;
  clock.advance(10_000);
  expect((await agent.submit(shop, buyer)).body.outcome).toBe("unavailable");
  clock.advance(-HOUR_MS / 2);
  const refused = await server.admin("POST", ACCEPT, { reason: "it is right" });
  expect([refused.status, refused.body.message]).toEqual([
    409,
    expect.stringMatching(/differs from the database's.*Correct the clocks of both machines/),
  ]);
});
