import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import { from, TRUSTED_PROXY } from "../mcp/asking.ts";
import { lines, openWorld, paying, told, type World } from "../ucp/buying.ts";
import { newPlatformKey } from "../ucp/platform.ts";

const MINUTE_MS = 60_000;
const SITE_LIMITS = {
  GATEHOUSE_SHOP_CHANGES_PER_SITE_PER_MINUTE: "30",
  GATEHOUSE_MCP_CALLS_PER_SITE_PER_MINUTE: "30",
};
const NOWHERE = lines(["no-such-product", 1]);
/** Addresses of so many networks, each a /48 of its own. */
const crowd = (count: number) => Array.from({ length: count }, (_, i) => `2001:db8:${i + 1}::1`);

describe.each(TIER_DATABASES)("a shop that is crowded by strangers, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock, { ...TRUSTED_PROXY, ...SITE_LIMITS });
    ({ server, platform, at } = world);
    return world.close;
  });

  test("sells to a platform that signs, however many requests unsigned callers send", async () => {
    clock.advance(MINUTE_MS);
    const shop = await at.shop();
    const { id } = await at.ready(shop);
    const statuses: number[] = [];
    for (const address of crowd(6)) {
      for (let i = 0; i < 10; i++) {
        const options = { sign: false, headers: from(address) };
        statuses.push((await at.call(shop, "/carts", NOWHERE, options)).status);
      }
    }
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(30);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(30);
    expect(told(await at.complete(shop, id, paying()))).toEqual([200, "completed"]);
  });

  test("sells to a platform the owner admitted, however many others sign", async () => {
    clock.advance(2 * MINUTE_MS);
    const shop = await at.shop();
    const { admission } = server.context;
    const home = new URL(platform.profileUrl()).hostname;
    await shop.admin("PUT", `/platforms/${home}`, { status: "admitted" });
    for (const provenAs of ["proven", "spending"] as const) {
      for (let i = 0; i < 30; i++) {
        const caller = { provenAs, prefix: "198.51.100.1", networks: ["198.51.100.1"] } as never;
        const tenant = { id: `tenant-${i}.example`, admitted: false };
        admission.takeOfSite(caller, "shop_changes", shop.site_key_hash, tenant);
      }
    }
    const { id } = await at.ready(shop);
    expect(told(await at.complete(shop, id, paying()))).toEqual([200, "completed"]);
  });

  test("lets an unsigned newcomer in while others are at their limits", async () => {
    clock.advance(2 * MINUTE_MS);
    const shop = await at.shop();
    for (const address of crowd(6)) {
      for (let i = 0; i < 10; i++) {
        await at.call(shop, "/carts", NOWHERE, { sign: false, headers: from(address) });
      }
    }
    const newcomer = { sign: false, headers: from("203.0.113.99") };
    expect((await at.call(shop, "/carts", lines(["rose", 1]), newcomer)).status).toBe(201);
  });

  test("takes a signed order over MCP, however many call its tools", async () => {
    clock.advance(2 * MINUTE_MS);
    const shop = await at.shop();
    const agent = await at.buyer(shop);
    let limited = 0;
    for (const address of crowd(8)) {
      for (let i = 0; i < 8; i++) {
        const answer = await at.callTool(shop, {}, undefined, "get_pricing", from(address));
        if (answer.error?.message === "rate_limited") limited++;
      }
    }
    expect(limited).toBeGreaterThan(30);
    const items = [{ id: "rose", quantity: 1 }];
    const args = { items, mandate: await at.signed(shop, agent, { items }) };
    const honest = from("203.0.113.9");
    const bought = await at.callTool(shop, args, undefined, "place_order", honest);
    expect(bought.result.structuredContent).toMatchObject({ outcome: "approved" });
  });

  test("counts an invalid signature as five more requests of its address", async () => {
    clock.advance(2 * MINUTE_MS);
    const shop = await at.shop();
    const signer = newPlatformKey("platform-key");
    const headers = from("203.0.113.50");
    expect((await at.create(shop, undefined, { signer, headers })).status).toBe(401);
    const budget = 100_000;
    const { admission } = server.context;
    // Six places are gone: one for the request, five for the proof that did not hold.
    const caller = { networks: ["203.0.113.50"], prefix: "203.0.113.50" } as never;
    expect(admission.takeBytes(caller, budget - 6)).toBe(0);
    expect(admission.takeBytes(caller, 1)).toBeGreaterThan(0);
  });

  test("counts admitted and refused requests by class, route group and limit", () => {
    const text = server.context.metrics.render();
    const counted = (labels: string) =>
      Number(new RegExp(`^gatehouse_admission_total\\{${labels}\\} (\\d+)$`, "m").exec(text)?.[1]);
    expect(counted('class="anonymous",area="ucp",limit="site_rate"')).toBeGreaterThan(0);
    expect(counted('class="anonymous",area="mcp",limit="site_rate"')).toBeGreaterThan(0);
    expect(counted('class="spending",area="ucp",limit="none"')).toBe(2);
    expect(counted('class="spending",area="mcp",limit="none"')).toBe(1);
    expect(counted('class="proven",area="admin",limit="none"')).toBeGreaterThan(0);
  });
});
