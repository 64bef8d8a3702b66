import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isoTime, ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { lines, openWorld, ROSE, type World } from "../ucp/buying.ts";

const HOUR_MS = 3_600_000;

describe.each(TIER_DATABASES)("the records of a log are limited, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await at.shop();
  });
  type Item = {
    record: { type: string; seq: number; actor: { id: string } };
    order_number?: number;
  };
  const read = async (query: Record<string, string>) =>
    (await shop.admin("GET", `/audit/records?${new URLSearchParams(query)}`)).body as {
      items: Item[];
      next_cursor?: string;
    };
  const placesIn = ({ items }: { readonly items: Item[] }) => items.map(({ record }) => record.seq);

  test("to the time when they were written, page by page", async () => {
    const begin = clock.now();
    for (const name of ["One", "Two", "Three"]) {
      clock.advance(HOUR_MS);
      await shop.admin("PATCH", "", { name });
    }
    const last = (await read({ type: "site.changed", limit: "1" })).items[0]?.record.seq ?? 0;
    const span = { from: isoTime(begin + HOUR_MS), to: isoTime(begin + 3 * HOUR_MS) };
    const page = await read({ ...span, limit: "1" });
    expect(placesIn(page)).toEqual([last - 1]);
    expect(placesIn(await read({ ...span, cursor: page.next_cursor ?? "" }))).toEqual([last - 2]);
    expect(placesIn(await read({ to: isoTime(NOON) }))).toEqual([]);
    expect(placesIn(await read({ from: isoTime(clock.now() + HOUR_MS) }))).toEqual([]);
    expect(placesIn(await read({ ...span, from_seq: "0", limit: "200" }))).toHaveLength(2);
    expect((await shop.admin("GET", "/audit/records?from=monday")).status).toBe(400);
  });

  test("to what a token or an agent did, and the search itself is recorded", async () => {
    const { token, token_id } = (
      await shop.admin("POST", "/tokens", { name: "Rosa", role: "owner" })
    ).body;
    const path = `/v1/admin/sites/${shop.site_key_hash}`;
    await server.admin("PATCH", path, { name: "Renamed" }, token);
    await at.bought(shop);
    const own = await read({ actor: token_id });
    expect(own.items.map(({ record }) => [record.type, record.actor.id])).toEqual([
      ["site.changed", token_id],
    ]);
    const [searched] = (await read({ type: "audit.read", limit: "1" })).items;
    expect(searched?.record).toMatchObject({ read: { actor_id: token_id, count: 1 } });
    const asked = await read({ actor: platform.profileUrl() });
    expect(asked.items.map(({ record }) => record.type)).toContain("checkout.decision");
    for (const actor of ["tok_none", '"', "op%", "operato"]) {
      expect(placesIn(await read({ actor }))).toEqual([]);
    }
    expect((await shop.admin("GET", "/audit/records?actor=")).status).toBe(400);
  });

  test("and each says which order it is about", async () => {
    await at.bought(shop);
    const { id } = await at.ready(shop, { ...ROSE, ...lines(["palm", 1]) });
    await at.complete(shop, id);
    const [{ escalation_id }] = (await shop.admin("GET", "/escalations")).body.items;
    await shop.admin("POST", `/escalations/${escalation_id}/approve`, {});
    const { items } = await read({ limit: "200" });
    const about = (type: string) =>
      items.filter(({ record }) => record.type === type).map(({ order_number }) => order_number);
    expect(about("payment.outcome")).toEqual([1002, 1001]);
    expect(about("review.decision")).toEqual([1002]);
    expect(new Set(about("site.changed"))).toEqual(new Set([undefined]));
  });
});
