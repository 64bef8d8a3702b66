import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { BUYER, lines, openWorld, paying, told, type World } from "../ucp/buying.ts";
import { newPlatformKey, profileOf } from "../ucp/platform.ts";

const DAY_MS = 86_400_000;
const ONE_ROSE = { ...lines(["rose", 1]), buyer: BUYER };
const ONE_PALM = { ...lines(["palm", 1]), buyer: BUYER };
/** Two roses a day for each platform; a palm is left to a person. */
const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "sell", effect: "allow", when: { skill: { eq: "complete_checkout" } } },
    { id: "ask-above", effect: "escalate", when: { "cart.total": { gt: { EUR: "500.00" } } } },
    {
      id: "budget",
      effect: "deny",
      when: { spend: { scope: "agent", window: "P1D", would_exceed: { EUR: "250.00" } } },
    },
  ],
};

const HOST = "platform.co.uk";
const TENANTS = ["one.github.io", "two.github.io", "three.github.io"];
const LABELS = ["a", "b.a", "www", "xn--bcher-kva", "a_b", "0"];
const HOSTS = [HOST, ...LABELS.map((label) => `${label}.${HOST}`), ...TENANTS];

describe.each(TIER_DATABASES)("limits of platforms on %s", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  let port: string;

  beforeAll(async () => {
    const more = {
      GATEHOUSE_PROFILE_FETCHES_PER_SOURCE_PER_MINUTE: "100000",
      GATEHOUSE_FETCH_ALLOW: ["127.0.0.1", ...HOSTS].join(","),
    };
    const world = await openWorld(dialect, clock, more);
    ({ server, platform, at } = world);
    port = platform.host.split(":")[1] as string;
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(DAY_MS);
    shop = await at.shop({});
    await shop.admin("PUT", "/policy", POLICY);
  });

  /** Makes and completes a checkout under a name, and says what came of it. */
  async function buyAs(profile: string, body: unknown = ONE_ROSE, more = {}) {
    const named = { profile, ...more };
    const made = await at.create(shop, body, named);
    const done = await at.complete(shop, made.body.id, paying(), named);
    return told(done).slice(1);
  }
  const BOUGHT = ["completed"];
  const REFUSED = ["incomplete", "budget_exceeded"];
  const named = (path: string, host = HOST) => `http://${host}:${port}${path}`;

  test("another path does not reset the budget of a platform", async () => {
    const profile = (path: string) => `http://${platform.host}/${path}`;
    expect(await buyAs(profile("p"))).toEqual(BOUGHT);
    expect(await buyAs(profile("p"))).toEqual(BOUGHT);
    for (const path of [
      "p",
      "p/",
      "P",
      "p;x",
      "p%20",
      ...Array.from("0123456789", (n) => `p${n}`),
    ]) {
      expect(await buyAs(profile(path)), path).toEqual(REFUSED);
    }
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("no random renaming can buy more than the first name can", async () => {
    await buyAs(named("/p"));
    await buyAs(named("/p"));
    const other = newPlatformKey("second-key");
    platform.profile = profileOf([platform.key.publicJwk, other.publicJwk]);
    const renamings = fc.asyncProperty(
      fc.constantFrom(...HOSTS.filter((host) => host.endsWith(HOST))),
      fc.stringMatching(/^\/[A-Za-z0-9;._~-]{1,10}$/),
      fc.constantFrom(
        (text: string) => text,
        (text: string) => text.toUpperCase(),
      ),
      fc.boolean(),
      fc.constantFrom("", "agent/1.0", "Mozilla/5.0"),
      async (host, path, spelt, second, userAgent) => {
        const headers = userAgent === "" ? {} : { "user-agent": userAgent };
        const signer = second ? { signer: other } : {};
        const profile = named(path, spelt(host));
        expect(await buyAs(profile, ONE_ROSE, { headers, ...signer }), profile).toEqual(REFUSED);
      },
    );
    await fc.assert(renamings, { numRuns: 25, seed: 24 });
  });

  test("tenants of a shared host have their own budgets, and share one pool", async () => {
    const pool = { spend_per_day: { EUR: "300.00" } };
    expect((await shop.admin("PATCH", "/platform-settings", { pool })).status).toBe(200);
    const [one, two, three] = TENANTS.map((host) => named("/p", host)) as [string, string, string];
    expect(await buyAs(one)).toEqual(BOUGHT);
    expect(await buyAs(one)).toEqual(BOUGHT);
    expect(await buyAs(two)).toEqual(BOUGHT);
    expect(await buyAs(three)).toEqual(REFUSED);
    const [refused] = await at.records(shop, "checkout.decision");
    expect(refused.record.decision).toMatchObject({
      outcome: "rejected",
      reason_codes: ["budget_exceeded", "platform_pool"],
      pool: { spend: [{ window: "P1D", currency: "EUR", minor: 30_000, limit: 30_000 }] },
    });
    // What owners are shown: a budget of the policy is a rule, so one without a rule is the pool.
    const { body } = await shop.admin("GET", "/decisions?outcome=rejected");
    expect(body.items).toEqual([
      expect.objectContaining({ reason: "budget_exceeded", rule_id: null }),
    ]);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    clock.advance(DAY_MS);
    expect(await buyAs(three)).toEqual(BOUGHT);
  });

  test.each(["purchases_per_hour", "purchases_per_day"])("the pool enforces %s", async (limit) => {
    await shop.admin("PATCH", "/platform-settings", { pool: { [limit]: 2 } });
    for (const host of TENANTS.slice(0, 2)) expect(await buyAs(named("/p", host))).toEqual(BOUGHT);
    expect(await buyAs(named("/p", TENANTS[2]))).toEqual(REFUSED);
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("one platform has one share of the pending reviews under all its names", async () => {
    const ask = { id: "ask", effect: "escalate", when: { skill: { eq: "complete_checkout" } } };
    await shop.admin("PUT", "/policy", { ...POLICY, rules: [ask] });
    for (let n = 0; n < 50; n++) {
      const [status] = await buyAs(named(`/p${n}`, n % 2 ? HOST : `a.${HOST}`));
      expect(status).toBe("requires_escalation");
    }
    const full = await buyAs(named("/another", `www.${HOST}`));
    expect(full).toEqual(["ready_for_complete", "review_required"]);
    expect((await buyAs(named("/p", TENANTS[0])))[0]).toBe("requires_escalation");
  }, 60_000);

  test("the pool limits pending reviews, whatever the platforms are called", async () => {
    await shop.admin("PATCH", "/platform-settings", { pool: { pending_reviews: 2 } });
    await shop.admin("PUT", "/policy", { ...POLICY, rules: POLICY.rules.slice(0, 2) });
    const statuses = [];
    for (const host of TENANTS) statuses.push(await buyAs(named("/p", host), ONE_PALM));
    expect(statuses).toEqual([
      ["requires_escalation", "review_required"],
      ["requires_escalation", "review_required"],
      ["ready_for_complete", "review_required"],
    ]);
  });

  test("unsigned callers count as one caller, and use no platform's budget", async () => {
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    const unsigned = { sign: false };
    expect(await buyAs(named("/p"), ONE_ROSE, unsigned)).toEqual(BOUGHT);
    expect(await buyAs(named("/p", TENANTS[0]), ONE_ROSE, unsigned)).toEqual(BOUGHT);
    expect(await buyAs(named("/q", TENANTS[1]), ONE_ROSE, unsigned)).toEqual(REFUSED);
    expect(await buyAs(named("/p"))).toEqual(BOUGHT);
    expect(await buyAs(named("/p", TENANTS[0]))).toEqual(BOUGHT);
  });

  test("a platform is as old as its domain, and an unsigned caller is always new", async () => {
    const young = { id: "young", effect: "deny", when: { "agent.age_days": { lt: 2 } } };
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    expect(await buyAs(named("/p"))).toEqual(BOUGHT);
    expect(await buyAs(named("/p"), ONE_ROSE, { sign: false })).toEqual(BOUGHT);
    await shop.admin("PUT", "/policy", { ...POLICY, rules: [...POLICY.rules, young] });
    clock.advance(2 * DAY_MS);
    expect(await buyAs(named("/another", `b.a.${HOST}`))).toEqual(BOUGHT);
    expect(await buyAs(named("/p", TENANTS[0]))).toEqual(["incomplete", "policy_denied"]);
    const unsigned = await buyAs(named("/p"), ONE_ROSE, { sign: false });
    expect(unsigned).toEqual(["incomplete", "policy_denied"]);
  });
});
