import { beforeAll, describe, expect, test } from "vitest";
import { findingsOfSite } from "../../server/test/audit/exporting.ts";
import type { Json } from "./connector-shop.ts";
import { type Event, Schedule, type Traded } from "./schedule.ts";
import { disagreements, settle } from "./shop-books.ts";
import { openUnreliable, type Unreliable } from "./unreliable.ts";
import { missing } from "./wordpress.ts";

/** A sample in the release tier; `npm run test:long -- wordpress` asks for the full count. */
const SCHEDULES = Number(process.env.SHOP_SCHEDULES ?? 20);
const FIRST_SEED = Number(process.env.SHOP_SEED ?? 1);
const SEEDS = Array.from({ length: SCHEDULES }, (_, n) => FIRST_SEED + n);
/** What happens in the middle, by the last digit of the seed. */
const EVENTS: Readonly<Record<number, Event>> = {
  1: "death of Gatehouse",
  3: "restart of Gatehouse",
  4: "new connection",
  6: "death of Gatehouse",
  8: "restart of the shop",
};
/** Longer than the pause after a document that could not be renewed. */
const RENEWED_AFTER_S = 60;
const BEFORE_MS_MAX = 300_000 + 60_000 * SCHEDULES;
const STOCK = 20;
/** So few that agents want more than there are. */
const SCARCE = 2;

interface Ran {
  readonly faults: readonly string[];
  readonly trace: readonly string[];
}

describe.skipIf(missing !== undefined)("a shop and Gatehouse that lose messages", () => {
  let world: Unreliable;
  let catalog: readonly string[];
  const ran = new Map<number, Ran>();
  const orders = { placed: 0 };

  /** Two products with a known stock, of which one is scarce. */
  async function tradedBy(seed: number): Promise<Traded[]> {
    const ids = [0, 1].map((n) => catalog[(2 * seed + n) % catalog.length] ?? "");
    const set = ids.map(
      (id, n) =>
        `$p = wc_get_product( ${id} ); $p->set_stock_quantity( ${n === 0 ? STOCK : SCARCE} ); $p->save(); $prices[] = (int) round( 100 * $p->get_price() );`,
    );
    const prices = await world.php(`${set.join(" ")} echo json_encode( $prices );`);
    await world.sendFromShop();
    return ids.map((id, n) => ({
      id,
      stock: n === 0 ? STOCK : SCARCE,
      priceMinor: prices[n],
    }));
  }

  async function trade(seed: number): Promise<Ran> {
    await world.workers.revive();
    const products = await tradedBy(seed);
    const after = await world.php(
      "echo (int) ( wc_get_orders( array( 'limit' => 1, 'orderby' => 'ID', 'order' => 'DESC', 'return' => 'ids', 'status' => 'any' ) )[0] ?? 0 );",
    );
    const since = world.now();
    const schedule = new Schedule(world, seed, products);
    const faults: string[] = [];
    try {
      await schedule.run(EVENTS[seed % 10]);
      await settle(world, schedule);
      faults.push(...(await disagreements(world, schedule, products, after, since)));
      faults.push(...(await documentFaults(seed)));
    } catch (error) {
      faults.push(String((error as Error).stack));
      await settle(world, schedule).catch(() => undefined);
    }
    orders.placed += schedule.purchases.told.length;
    return { faults, trace: schedule.trace };
  }

  /** A loaded machine may not renew a document within the budget of a request. It does after a pause. */
  async function verified(n: number): Promise<string[]> {
    if ((await world.verify(n)).length === 0) return [];
    world.moveClock(RENEWED_AFTER_S);
    return world.verify(n);
  }

  /** The documents on the shop's domain are valid, also when Gatehouse has come back. */
  async function documentFaults(seed: number): Promise<string[]> {
    const { toGatehouse, wordpress } = world;
    if (seed % 2 === 0) return verified(seed / 2);
    toGatehouse.isDown = true;
    const { status, headers } = await fetch(`${wordpress.url}/.well-known/agent-card.json`);
    toGatehouse.isDown = false;
    world.moveClock(1 + Number(headers.get("retry-after") ?? 0));
    const faults = [200, 503].includes(status) ? [] : [`the agent card got ${status}`];
    return [...faults, ...(await verified(1))];
  }

  beforeAll(async () => {
    world = await openUnreliable();
    const ids: Json[] = await world.php(
      "echo json_encode( array_map( fn( $p ) => (string) $p->get_id(), array_values( array_filter( wc_get_products( array( 'limit' => -1, 'type' => 'simple', 'stock_status' => 'instock', 'orderby' => 'ID', 'order' => 'ASC' ) ), fn( $p ) => $p->managing_stock() && ! $p->is_virtual() && ! $p->backorders_allowed() ) ) ) );",
    );
    catalog = ids;
    for (const seed of SEEDS) ran.set(seed, await trade(seed));
    return () => world.close();
  }, BEFORE_MS_MAX);

  test.each(SEEDS)(
    "after schedule %i every order is there once, and money and stock agree",
    (seed) => {
      const { faults, trace } = ran.get(seed) as Ran;
      expect(faults, `seed ${seed}:\n${trace.join("\n")}\n${faults.join("\n")}`).toEqual([]);
    },
  );

  test("the schedules have placed orders, and the audit log verifies", async () => {
    expect(orders.placed).toBeGreaterThan(SCHEDULES);
    const deaths = { shop: world.workers.deaths(), gatehouse: world.killed.underWay };
    // A few schedules may have none.
    if (SCHEDULES >= 20) expect(Math.min(deaths.shop, deaths.gatehouse)).toBeGreaterThan(0);
    expect(await findingsOfSite(world.server(), world.shop.site_key_hash)).toEqual([]);
    expect(world.wordpress.complaints()).toEqual([]);
  });
});
