import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SEEN_PLATFORMS_MAX } from "../../src/domain/platforms/store.ts";
import { siteByHash } from "../../src/domain/sites/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { checkPlatforms } from "../../src/maintenance/doctor-sales.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { BUYER, lines, openWorld, paying, told, type World } from "../ucp/buying.ts";

const HOSTS = ["agents.platform.example", "other.platform.example", "new.platform.example"];
const [AGENTS, OTHER, NEW] = HOSTS as [string, string, string];
const ROSE = { ...lines(["rose", 1]), buyer: BUYER };
const PALM = { ...lines(["palm", 1]), buyer: BUYER };

describe.each(TIER_DATABASES)("the owner's list of platforms on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;

  beforeAll(async () => {
    const more = {
      GATEHOUSE_PROFILE_FETCHES_PER_SOURCE_PER_MINUTE: "100000",
      GATEHOUSE_FETCH_ALLOW: ["127.0.0.1", ...HOSTS].join(","),
    };
    const world = await openWorld(dialect, clock, more);
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop({});
  });

  const named = (host: string, path = "/p") =>
    `http://${host}:${platform.host.split(":")[1]}${path}`;
  const list = async (query = "") => (await shop.admin("GET", `/platforms${query}`)).body.items;
  const set = (host: string, body: object) => shop.admin("PUT", `/platforms/${host}`, body);
  const accept = (platforms: string) => shop.admin("PATCH", "/platform-settings", { platforms });

  async function tryToBuy(host: string, body: unknown = ROSE, more = {}) {
    const options = { profile: named(host), ...more };
    const made = await at.create(shop, body, options);
    return {
      id: made.body.id as string,
      done: await at.complete(shop, made.body.id, paying(), options),
    };
  }
  const buyAs = async (host: string, more = {}) =>
    told((await tryToBuy(host, ROSE, more)).done).slice(1);
  const BOUGHT = ["completed"];
  const HANDED_OFF = ["requires_escalation", "platform_not_admitted"];
  const STOPPED = ["incomplete", "platform_suspended"];

  test("it shows a platform that has called, with when and how often", async () => {
    await buyAs(AGENTS);
    clock.advance(3_600_000);
    await buyAs(OTHER);
    expect(await list()).toEqual([
      expect.objectContaining({
        platform: "platform.example",
        status: "seen",
        profile_url: named(OTHER),
        first_seen_at: new Date(clock.now() - 3_600_000).toISOString(),
        last_seen_at: new Date(clock.now()).toISOString(),
        recent_decisions: 2,
        name: null,
      }),
    ]);
    expect(await list("?status=admitted")).toEqual([]);
    expect(await list("?q=platform")).toHaveLength(1);
    expect(await list("?q=nobody")).toEqual([]);
  });

  test("it stores nothing about an unsigned platform", async () => {
    await at.create(shop, ROSE, { profile: named(AGENTS), sign: false });
    expect(await list()).toEqual([]);
  });

  test("it lets only admitted platforms pay if the owner says so", async () => {
    await accept("admitted");
    const { id, done } = await tryToBuy(AGENTS);
    expect(told(done).slice(1)).toEqual(HANDED_OFF);
    expect(done.body.messages[0].severity).toBe("requires_buyer_review");
    const page = await fetch(done.body.continue_url);
    expect(await page.text()).toContain('name="email"');
    expect(told(await at.get(shop, id, { profile: named(AGENTS) })).slice(1)).toEqual(HANDED_OFF);
    expect(await at.authorizations(shop)).toEqual([]);
    expect(await list()).toMatchObject([{ platform: "platform.example", status: "seen" }]);
    expect(
      (await set("platform.example", { status: "admitted", name: "Ours" })).body,
    ).toMatchObject({
      platform: "platform.example",
      status: "admitted",
      name: "Ours",
    });
    const again = await at.complete(shop, id, paying(), { profile: named(AGENTS) });
    expect(told(again).slice(1)).toEqual(BOUGHT);
  });

  test("it admits no unsigned caller, whatever profile the caller names", async () => {
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    await accept("admitted");
    await set("platform.example", { status: "admitted" });
    expect(await buyAs(AGENTS, { sign: false })).toEqual(HANDED_OFF);
    expect(await buyAs(AGENTS)).toEqual(BOUGHT);
  });

  test("it admits one host without the rest of its domain", async () => {
    await accept("admitted");
    await set(AGENTS.toUpperCase(), { status: "admitted" });
    expect(await buyAs(AGENTS)).toEqual(BOUGHT);
    expect(await buyAs(OTHER)).toEqual(HANDED_OFF);
  });

  test("a suspended platform cannot buy, not even under another name", async () => {
    const waiting = await tryToBuy(AGENTS, PALM);
    expect(told(waiting.done)[1]).toBe("requires_escalation");
    await set(AGENTS, { status: "suspended", note: "Card testing" });
    for (const host of HOSTS) expect(await buyAs(host), host).toEqual(STOPPED);
    const [review] = (await shop.admin("GET", "/escalations")).body.items;
    await shop.admin("POST", `/escalations/${review.escalation_id}/approve`, {});
    expect(await at.authorizations(shop)).toEqual([]);
    await set(OTHER, { status: "admitted" });
    expect(await buyAs(OTHER)).toEqual(BOUGHT);
    expect(await buyAs(NEW)).toEqual(STOPPED);
    // What the owner said of a host goes before what was said of its whole domain.
    await set("platform.example", { status: "suspended" });
    expect(await buyAs(OTHER)).toEqual(BOUGHT);
    expect((await shop.admin("DELETE", "/platforms/platform.example")).status).toBe(204);
    expect((await shop.admin("DELETE", `/platforms/${AGENTS}`)).status).toBe(204);
    expect(await buyAs(NEW)).toEqual(BOUGHT);
  });

  test("a review started by any platform is approved only for an admitted one, once the owner requires that", async () => {
    const waiting = await tryToBuy(AGENTS, PALM);
    expect(told(waiting.done)[1]).toBe("requires_escalation");
    const [{ escalation_id }] = (await shop.admin("GET", "/escalations")).body.items;
    const approve = () => shop.admin("POST", `/escalations/${escalation_id}/approve`, {});
    await accept("admitted");
    const blocked = await approve();
    expect([blocked.status, blocked.body.error]).toEqual([409, "approval_blocked"]);
    expect(blocked.body).toMatchObject({
      reason_code: "platform_not_admitted",
      message: expect.stringContaining("Admit this platform first"),
    });
    expect(await at.authorizations(shop)).toEqual([]);
    const review = await shop.admin("GET", `/escalations/${escalation_id}`);
    expect(review.body.status).toBe("pending");
    await set("platform.example", { status: "admitted" });
    expect((await approve()).body).toEqual({ status: "approved" });
    expect(await at.authorizations(shop)).toHaveLength(1);
  });

  test("denying all pending reviews at once makes room for as many, and no more", async () => {
    const PENDING = 3;
    await shop.admin("PATCH", "/platform-settings", { pool: { pending_reviews: PENDING } });
    const pending = async () => (await shop.admin("GET", "/escalations?status=pending")).body.items;
    const ask = async () => {
      const hosts = Array.from({ length: 2 * PENDING }, (_, n) => (n % 2 === 0 ? AGENTS : OTHER));
      await Promise.all(hosts.map((host) => tryToBuy(host, PALM)));
      return pending();
    };
    const waiting = await ask();
    expect(waiting).toHaveLength(PENDING);
    // Others ask while these are denied: a request that comes before a denial finds no place.
    const denials = waiting.map(({ escalation_id }: { escalation_id: string }) =>
      shop.admin("POST", `/escalations/${escalation_id}/deny`, { reason_code: "other" }),
    );
    const [answers] = await Promise.all([Promise.all(denials), ask()]);
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200]);
    expect((await pending()).length).toBeLessThanOrEqual(PENDING);
    expect(await ask()).toHaveLength(PENDING);
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test("an admitted platform does not use the pool", async () => {
    await shop.admin("PATCH", "/platform-settings", { pool: { purchases_per_day: 0 } });
    expect(await buyAs(AGENTS)).toEqual(["incomplete", "budget_exceeded"]);
    await set("platform.example", { status: "admitted" });
    expect(await buyAs(AGENTS)).toEqual(BOUGHT);
  });

  test("it records which platforms were admitted, suspended and removed, and by whom", async () => {
    await set("platform.example", { status: "admitted", name: "A name", note: "A note" });
    await set("platform.example", { status: "suspended" });
    await shop.admin("DELETE", "/platforms/platform.example");
    await accept("admitted");
    const changes = (await at.records(shop, "site.changed")).map(
      ({ record }: { record: { change: object; actor: object } }) => [record.change, record.actor],
    );
    const actor = expect.objectContaining({ id: expect.any(String) });
    expect(changes.slice(0, 4)).toEqual([
      [expect.objectContaining({ kind: "platforms_set", platforms: "admitted" }), actor],
      ...["forgotten", "suspended", "admitted"].map((verb) => [
        { kind: `platform_${verb}`, platform: "platform.example" },
        actor,
      ]),
    ]);
  });

  test.each([
    ["github.io", 400],
    ["co.uk", 400],
    ["a b", 400],
    ["a@b.example", 400],
    ["x:1", 400],
  ])("it refuses %s as a name", async (name, status) => {
    const answer = await set(encodeURIComponent(name as string), { status: "admitted" });
    expect([answer.status, answer.body.error]).toEqual([status, "invalid_request"]);
  });

  test("a platform that is not in the list cannot be removed", async () => {
    expect((await shop.admin("DELETE", "/platforms/none.example")).status).toBe(404);
  });

  test("it allows any platform in test mode at first, and only admitted ones for a live account", async () => {
    const settings = async () => (await shop.admin("GET", "/platform-settings")).body;
    expect(await settings()).toMatchObject({ platforms: "any", chosen: false });
    const { db } = server.context;
    const site = await siteByHash(db, shop.site_key_hash);
    const live = JSON.stringify({ ...site?.provider, live: true });
    await db.transaction((tx) =>
      tx.run("UPDATE sites SET processor = ? WHERE site_key_hash = ?", live, shop.site_key_hash),
    );
    expect(await settings()).toMatchObject({ platforms: "admitted", chosen: false });
    expect(await checkPlatforms(db)).toMatchObject({
      verdict: "good",
      message: "no site takes real payments from platforms that its owner has not admitted",
    });
    await accept("any");
    expect(await settings()).toMatchObject({ platforms: "any", chosen: true });
    const warned = await checkPlatforms(db);
    expect(warned).toMatchObject({ part: "platforms", verdict: "warning" });
    expect(warned.message).toContain(`site platforms ${site?.domain} --accept admitted`);
  });

  test("it keeps a bounded number of platforms that only called, and prefers those known longest", async () => {
    const seen = (n: number, lastSeenAt: number) => ({
      site_key_hash: shop.site_key_hash,
      identity: `p${n}.example`,
      domain: `p${n}.example`,
      status: "seen",
      first_seen_at: n,
      last_seen_at: lastSeenAt,
      created_at: n,
    });
    const rows = Array.from({ length: SEEN_PLATFORMS_MAX }, (_, n) => seen(n, n === 0 ? NOON : n));
    await server.context.db.transaction((tx) => tx.insert("platforms", rows));
    await buyAs(AGENTS);
    const kept = await server.context.db.all<{ identity: string }>(
      "SELECT identity FROM platforms WHERE site_key_hash = ?",
      shop.site_key_hash,
    );
    const names = kept.map(({ identity }) => identity);
    expect(names).toHaveLength(SEEN_PLATFORMS_MAX);
    expect(names).toEqual(expect.arrayContaining(["p0.example", "platform.example"]));
    expect(names).not.toContain("p1.example");
  });
});
