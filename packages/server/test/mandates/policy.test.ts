import { type JsonObject, type JsonValue, policyDurationMs } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Decision } from "../../src/domain/decisions/decision.ts";
import { Book } from "../../src/domain/decisions/history/book.ts";
import { loadHistory } from "../../src/domain/decisions/history/load.ts";
import { lastDecisions } from "../../src/domain/decisions/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { WorkBudget } from "../../src/infra/work-budget.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { cart, ORDER_POLICY, selling } from "../selling/selling.ts";
import { type Buyer, type Shop, submitting } from "./submitting.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const rule = (id: string, effect: string, when: JsonValue) => ({ id, effect, when });
const SKILLS = ["get_pricing", "contact_support", "place_order"];
const links = rule("links", "allow", { skill: { in: SKILLS } });
const pricing = { skill: { eq: "get_pricing" } };
const hasCart = { "cart.total": { exists: true } };
const budget = (EUR: string, window = "P1D") =>
  rule("budget", "deny", {
    all: [hasCart, { spend: { scope: "agent", window, would_exceed: { EUR } } }],
  });
const policyOf = (...rules: JsonObject[]) => ({
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules,
});
/** Something that costs half a euro, as often as it takes. */
const COIN = { id: "coin", title: "A coin", price: "0.50", currency: "EUR" };
const euros = (total: string, protocol = "a2a") =>
  cart({ items: [{ id: "coin", quantity: 2 * Number(total) }], total, protocol });

describe.each(TIER_DATABASES)("a draft of a policy, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let agent: ReturnType<typeof submitting>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    agent = submitting(server);
    return cleanUp;
  });
  beforeEach(async () => {
    // Noon again, and far enough from what was decided before.
    clock.advance(3 * DAY_MS - ((clock.now() - NOON) % DAY_MS));
    shop = await selling(server).shop(policyOf(links));
    const skills = SKILLS.map((id) => ({
      id,
      enabled: true,
      ...(id === "place_order" ? {} : { url: `https://shop.example.com/${id}` }),
    }));
    await shop.admin("PUT", "/skills", { skills });
    await shop.admin("PUT", "/products", { products: [COIN] });
    buyer = await agent.buyer(shop, { tags: ["trusted"] });
  });

  const publish = (...rules: JsonObject[]) => shop.admin("PUT", "/policy", policyOf(...rules));
  const tried = (policy: JsonObject, last?: number) =>
    shop.admin("POST", "/policy/test", { policy, ...(last !== undefined && { last }) });
  const submit = async (fields: JsonObject = {}, by = buyer) => {
    clock.advance(MINUTE_MS);
    return (await agent.submit(shop, by, fields)).body;
  };

  test("is published with its warnings, and refused if it has errors", async () => {
    const cap = rule("cap", "deny", { "cart.total": { gt: { EUR: "50.00" } } });
    const warned = await publish(links, cap);
    expect([warned.status, warned.body.version]).toEqual([200, 2]);
    expect(warned.body.findings).toEqual([
      {
        level: "warning",
        code: "without_cart",
        rule: "cap",
        message: expect.stringContaining("“cap”"),
      },
    ]);
    expect((await publish(links)).body.findings).toEqual([]);
    const slip = rule("slip", "deny", { skill: { in: ["get_pricng", "complete_checkout"] } });
    const told = (await tried(policyOf(links, slip))).body.findings;
    expect(told).toMatchObject([{ level: "warning", code: "unknown_skill", rule: "slip" }]);
    const dollars = rule("dollars", "allow", { "cart.total": { lte: { USD: "50.00" } } });
    const join = rule("join", "deny", { skill: { eq: "get_status" } });
    const idle = (await tried(policyOf(links, dollars, join))).body.findings;
    expect(idle.map((one: JsonObject) => `${one.code} ${one.rule}`)).toEqual([
      "currency_not_used dollars",
      "skill_not_offered join",
    ]);
    const never = { all: [pricing, { skill: { eq: "sign_up" } }] };
    const refused = await publish(links, rule("never", "deny", never));
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
    expect(refused.body.message).toContain("The rule “never” can never match");
    expect((await shop.admin("GET", "/policy")).body.version).toBe(3);
  });

  test("is tested on past decisions, oldest first, and nothing is written", async () => {
    const asked = [await submit(), await submit({ skill: "contact_support" }), await submit()];
    const decisions = (await shop.admin("GET", "/decisions")).body.items.reverse();
    const before = await agent.records(shop, "mandate.decision");
    const draft = policyOf(links, rule("ask", "escalate", pricing));
    const { status, body } = await tried(draft);
    expect([status, body.tested, body.same, body.findings]).toEqual([200, 3, 1, []]);
    const would_be = { outcome: "escalated", rule_id: "ask" };
    expect(body.changed).toEqual(
      [0, 2].map((place) => ({
        decision_id: decisions[place].decision_id,
        record_id: asked[place].record_id,
        agent_id: buyer.agentId,
        skill: "get_pricing",
        amount: null,
        evaluated_at: asked[place].evaluated_at,
        was: { outcome: "approved", rule_id: "links" },
        would_be,
      })),
    );
    expect(body.summary).toEqual({
      was: { approved: 3, escalated: 0, rejected: 0 },
      would_be: { approved: 1, escalated: 2, rejected: 0 },
    });
    expect((await tried(draft, 1)).body.changed).toHaveLength(1);
    clock.advance(2 * DAY_MS);
    const ofDays = (days: number) => shop.admin("POST", "/policy/test", { policy: draft, days });
    expect((await ofDays(1)).body.tested).toBe(0);
    expect((await ofDays(3)).body).toMatchObject({ tested: 3, purchases: 0 });
    expect(await agent.records(shop, "mandate.decision")).toEqual(before);
    expect((await shop.admin("GET", "/policy")).body.version).toBe(1);
    expect((await shop.admin("GET", "/decisions")).body.items.reverse()).toEqual(decisions);
  });

  test("is compared with the rules in force, which decide old requests like new ones", async () => {
    const cap = (limit: string) =>
      policyOf(links, rule("cap", "deny", { "cart.total": { gt: { EUR: limit } } }));
    const unlimited = (await shop.admin("PUT", "/policy", policyOf(links))).status;
    expect(unlimited).toBe(200);
    for (const total of ["30.00", "60.00", "90.00"]) await submit(euros(total));
    expect((await shop.admin("PUT", "/policy", cap("50.00"))).status).toBe(200);
    const changes = async (policy: JsonObject) => {
      const asked = { policy, compare_with: "rules_in_force" };
      const { changed } = (await shop.admin("POST", "/policy/test", asked)).body;
      return changed.map(({ amount, was, would_be }: JsonObject) => [amount, was, would_be]);
    };
    expect(await changes(cap("50.00"))).toEqual([]);
    const denied = { outcome: "rejected", rule_id: "cap" };
    expect(await changes(cap("80.00"))).toEqual([
      [{ minor: 6000, currency: "EUR" }, denied, { outcome: "approved", rule_id: "links" }],
    ]);
    // What was decided then is another question.
    expect((await tried(cap("50.00"))).body.changed).toHaveLength(2);
  });

  test("counts its own spending and what was spent before the first tested decision", async () => {
    for (const total of ["60.00", "60.00", "40.00"]) await submit(euros(total));
    const wouldBe = async (last?: number) =>
      (await tried(policyOf(links, budget("100.00")), last)).body.changed.map(
        ({ amount, would_be }: JsonObject) => [amount, would_be],
      );
    const denied = { outcome: "rejected", rule_id: "budget" };
    // The second is denied, so that the third fits again.
    expect(await wouldBe()).toEqual([[{ minor: 6000, currency: "EUR" }, denied]]);
    // Of the last alone, both before it were spent in fact.
    expect(await wouldBe(1)).toEqual([[{ minor: 4000, currency: "EUR" }, denied]]);
  });

  test("that is already in force changes no decision, for any number of them", async () => {
    const counting = (scope: string, window: string, gt: number) =>
      rule(`${scope}-${window.toLowerCase()}`, "deny", { count: { scope, window, gt } });
    const rules = [
      links,
      budget("250.00"),
      counting("agent", "PT6H", 4),
      counting("site", "PT1H", 3),
      rule("week", "deny", {
        all: [
          hasCart,
          { spend: { scope: "site", window: "P7D", would_exceed: { EUR: "600.00" } } },
        ],
      }),
    ];
    await publish(...rules);
    const other = await agent.buyer(shop);
    const outcomes = new Set<string>();
    for (let n = 0; n < 16; n++) {
      clock.advance(((n * 37) % 150) * MINUTE_MS);
      const fields = n % 5 === 4 ? {} : euros(`${((n * 29) % 90) + 1}.50`);
      const { outcome } = await submit(fields, n % 3 === 0 ? other : buyer);
      outcomes.add(outcome);
    }
    expect([...outcomes].sort()).toEqual(["approved", "rejected"]);
    for (const last of [1, 5, 11, 1000]) {
      const { body } = await tried(policyOf(...rules), last);
      expect([body.tested, body.changed]).toEqual([Math.min(last, 16), []]);
    }
  });

  test("counts before each decision what a time window contains, exact to the decision and the hour", async () => {
    const other = await agent.buyer(shop);
    const start = clock.now();
    // On the hour, beside it, twice at once, and a day apart.
    const minutes = [0, 30, 60, 60, 119, 120, 121, 300, 781, 1440, 1450, 1500, 1500, 1530];
    for (const [n, minute] of minutes.entries()) {
      clock.advance(start + minute * MINUTE_MS - clock.now());
      await agent.submit(shop, n % 2 ? other : buyer);
    }
    const { db } = server.context;
    const all = await lastDecisions(db, shop.site_key_hash, { limit: 100, since: 0 });
    const last = all.at(-1) as Decision;
    const allowance = new WorkBudget(clock, { msMax: 1, rowsMax: 10_000 });
    for (const [place, first] of all.entries()) {
      for (const window of ["PT1M", "PT1H", "PT6H", "PT12H", "P1D", "P7D"] as const) {
        for (const scope of ["site", "agent"] as const) {
          const counters = [{ scope, window }];
          const looked = { first, last, identities: [buyer.agentId, other.agentId] };
          const book = new Book(await loadHistory(db, looked, "decisions", counters, allowance));
          await book.advance(first.evaluatedAt, allowance);
          const since = first.evaluatedAt - (policyDurationMs(window) as number);
          const whose = scope === "site" ? null : first.actorId;
          const held = all
            .slice(0, place)
            .filter((one) => one.evaluatedAt > since && [null, one.actorId].includes(whose));
          const found = [place, window, scope, book.after(since, whose)];
          expect(found).toEqual([place, window, scope, held.length]);
        }
      }
    }
  });

  test("is compared with what the rules decided, and counts a reviewed purchase from its approval", async () => {
    const ask = rule("ask", "escalate", { protocol: { eq: "mcp" } });
    await publish(links, ask);
    const waiting = await submit(euros("60.00", "mcp"));
    await submit(euros("50.00"));
    clock.advance(MINUTE_MS);
    await shop.admin("POST", `/escalations/${waiting.escalation_id}/approve`, {});
    await submit(euros("30.00"));
    const { body } = await tried(policyOf(links, ask, budget("100.00")));
    // Of the two only the first fits: nobody had approved the sixty by then.
    expect(body.changed.map(({ would_be }: JsonObject) => would_be)).toEqual([
      { outcome: "rejected", rule_id: "budget" },
    ]);
    expect(body.changed[0].record_id).toBe(
      (await shop.admin("GET", "/decisions")).body.items[0].record_id,
    );
    expect(body.summary.was).toEqual({ approved: 2, escalated: 1, rejected: 0 });
    // What the draft alone leaves to a person was approved by nobody, so it is not spent.
    const asksAll = rule("ask", "escalate", { protocol: { eq: "a2a" } });
    const rest = await tried(policyOf(links, asksAll, budget("115.00")));
    expect(rest.body.summary.would_be).toEqual({ approved: 1, escalated: 2, rejected: 0 });
  });

  test("does not count payments that failed", async () => {
    const at = selling(server);
    shop = await at.shop();
    buyer = await at.buyer(shop);
    const declined = await at.order(shop, buyer, { token: "pm_card_chargeDeclined" });
    clock.advance(MINUTE_MS);
    const paid = await at.order(shop, buyer);
    expect([declined.body.reason, paid.body.outcome]).toEqual(["payment_declined", "approved"]);
    const rules = [...ORDER_POLICY.rules, budget("150.00")] as JsonObject[];
    const { body } = await tried(policyOf(...rules));
    expect([body.summary.was.approved, body.summary.would_be.approved]).toEqual([2, 2]);
  });

  test("uses the tags of that time, and the hour in its own time zone", async () => {
    await submit();
    await shop.admin("PATCH", `/agents/${buyer.agentId}`, { tags: [] });
    await submit();
    const trusted = rule("trusted", "allow", { "agent.tags": { any_of: ["trusted"] } });
    const byTag = (await tried(policyOf(trusted))).body;
    expect(byTag.summary.would_be).toEqual({ approved: 1, escalated: 0, rejected: 1 });
    const night = rule("night", "deny", { "time.local": { between: ["20:00", "22:00"] } });
    const inTokyo = { ...policyOf(links, night), timezone: "Asia/Tokyo" };
    expect((await tried(policyOf(links, night))).body.changed).toEqual([]);
    expect((await tried(inTokyo)).body.changed).toHaveLength(2);
  });

  test("does not decide mandates that were rejected before the rules, but counts them", async () => {
    await submit(cart({ total: "many" }));
    await submit();
    const first = rule("first", "deny", { count: { scope: "agent", window: "PT10M", gt: 1 } });
    const { body } = await tried(policyOf(links, first));
    expect([body.tested, body.changed[0].would_be.rule_id]).toEqual([1, "first"]);
  });

  test("can be tested by everyone who may read decisions, within limits, even if it has errors", async () => {
    const none = await tried(policyOf(links));
    expect([none.body.tested, none.body.changed]).toEqual([0, []]);
    const never = rule("never", "deny", { all: [pricing, { skill: { eq: "sign_up" } }] });
    const { body } = await tried(policyOf(links, never));
    expect(body.findings).toMatchObject([{ level: "error", code: "never_matches" }]);
    const unread = await tried({ ...policyOf(links), default: "allow" });
    expect([unread.status, unread.body.message]).toEqual([
      400,
      "policy: default: must be one of deny, escalate.",
    ]);
    expect((await tried(policyOf(links), 0)).status).toBe(400);
    expect((await tried(policyOf(links), 1001)).status).toBe(400);
    const path = `/v1/admin/sites/${shop.site_key_hash}`;
    const named = { name: "A", role: "auditor" };
    const { token } = (await shop.admin("POST", "/tokens", named)).body;
    const asked = { policy: policyOf(links) };
    expect((await server.admin("POST", `${path}/policy/test`, asked, token)).status).toBe(200);
    const elsewhere = (await agent.shop(null, "other.example.com")).site_key_hash;
    const foreign = `/v1/admin/sites/${elsewhere}/policy/test`;
    expect((await server.admin("POST", foreign, asked, token)).status).toBe(404);
  });
});
