import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, type TestServer, TIER_DATABASES } from "../harness.ts";
import { from, TRUSTED_PROXY } from "../mcp/asking.ts";
import { buying, openWorld, paying, ROSE, told } from "../ucp/buying.ts";
import { Platform } from "../ucp/platform.ts";
import { addressesOf, adversary, seeded } from "./adversary.ts";

const MINUTE_MS = 60_000;
/** A simulated day in the long tier. */
const MINUTES = Number(process.env.ADVERSARY_MINUTES ?? 3);
/** Requests that are really sent, besides those that only fill the limits. */
const ATTACKS_PER_MINUTE = Number(process.env.ADVERSARY_ATTACKS ?? 80);
const SEED = Number(process.env.FUZZ_SEED ?? 2026);
/** 1,000 addresses in 200 networks of IPv6, and 50 of IPv4. */
const ATTACKERS = addressesOf(1000, 200, 50);
const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** Platforms nobody has seen, one at a time. */
const NEWCOMERS_MAX = 100;
const newcomerAt = (minute: number) => `127.0.1.${(minute % NEWCOMERS_MAX) + 1}`;

/** What all of it may leave in a minute, and what a database takes before anything happens. */
const STORED_BYTES_PER_MINUTE = 512 * 1024;
const STORED_BYTES_FIRST = 16 * 1024 * 1024;

async function storedBytes({ context, env }: TestServer): Promise<number> {
  if (context.db.dialect === "postgres") {
    const sql = "SELECT pg_database_size(current_database()) AS bytes";
    return Number((await context.db.all<{ bytes: string }>(sql))[0]?.bytes);
  }
  const file = join(env.GATEHOUSE_DATA_DIR as string, "gatehouse.db");
  return statSync(file).size;
}

describe.each(TIER_DATABASES)("under attack from 1,000 addresses, on %s,", (dialect) => {
  test("every purchase of an honest buyer succeeds at once, and stored data stays bounded", {
    timeout: 120_000 + MINUTES * 5000,
  }, async () => {
    const clock = new ManualClock(NOON);
    const allowed = Array.from({ length: NEWCOMERS_MAX }, (_, i) => newcomerAt(i));
    const world = await openWorld(dialect, clock, {
      ...TRUSTED_PROXY,
      GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "600",
      GATEHOUSE_FETCH_ALLOW: ["127.0.0.1", ...allowed].join(","),
    });
    onTestFinished(world.close);
    const { server, platform, at } = world;
    const shop = await at.shop();
    const agent = await at.buyer(shop);
    const admitted = `/platforms/${new URL(platform.profileUrl()).hostname}`;
    expect((await shop.admin("PUT", admitted, { status: "admitted" })).status).toBe(200);
    const pool = { purchases_per_hour: 1000, purchases_per_day: 10_000, spend_per_day: RICH };
    expect((await shop.admin("PATCH", "/platform-settings", { pool })).status).toBe(200);
    const pick = seeded(SEED);
    const { attack, exhaust, rest } = adversary({ server, shop, at }, pick);
    onTestFinished(rest);
    const before = await storedBytes(server);
    const refused = new Map<number, number>();
    for (let minute = 0; minute < MINUTES; minute++) {
      exhaust(ATTACKERS);
      const attacks = Array.from({ length: ATTACKS_PER_MINUTE }, async () => {
        const status = await attack(ATTACKERS[pick(ATTACKERS.length)] as string);
        refused.set(status, (refused.get(status) ?? 0) + 1);
      });
      const newcomer = await Platform.start(newcomerAt(minute));
      const stranger = buying(server, newcomer, clock);
      await Promise.all([...attacks, buyAll(minute)]);
      newcomer.stop();
      await server.admin("PUT", `/v1/admin/sites/${shop.site_key_hash}/products`, STOCK);
      clock.advance(MINUTE_MS);

      async function buyAll(now: number): Promise<void> {
        const home = { headers: from("203.0.113.10") };
        const mandate = await at.send(shop, await at.signed(shop, agent), from("203.0.113.11"));
        expect([now, mandate.status, mandate.body.outcome]).toEqual([now, 200, "approved"]);
        for (const by of [at, stranger]) {
          const { body } = await by.create(shop, ROSE, home);
          const done = await by.complete(shop, body.id, paying(), home);
          expect([now, ...told(done)]).toEqual([now, 200, "completed"]);
        }
      }
    }
    expect(refused.get(429) ?? 0).toBeGreaterThan((MINUTES * ATTACKS_PER_MINUTE) / 10);
    expect([...refused.keys()].filter((status) => status >= 500)).toEqual([]);
    const grown = (await storedBytes(server)) - before;
    expect(grown).toBeLessThan(STORED_BYTES_FIRST + MINUTES * STORED_BYTES_PER_MINUTE);
    const held = /^gatehouse_body_bytes_held (\d+)$/m.exec(server.context.metrics.render())?.[1];
    expect(Number(held)).toBeLessThanOrEqual(BODY_BYTES_MAX);
  });
});

/** What platforms nobody knows may spend in a simulated day. */
const RICH = { EUR: "1000000.00" };

/** What was bought is put back, so that a day does not sell the shop empty. */
const STOCK = {
  products: [{ id: "rose", title: "A rose", price: "100.00", currency: "EUR", quantity: 50 }],
};
