import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { openWorld, paying, type World } from "../ucp/buying.ts";

describe.each(TIER_DATABASES)("numbers of orders, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, at } = world);
    await server.context.jobs.stop();
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await at.shop();
  });
  const list = async (query = "") =>
    (await shop.admin("GET", `/orders${query}`)).body.items as { number: number }[];

  test("orders at the same time get different numbers, and a declined one uses none", async () => {
    const ready = await Promise.all(Array.from({ length: 5 }, () => at.ready(shop)));
    const declined = ready.pop() as { id: string };
    await at.complete(shop, declined.id, paying("pm_card_chargeDeclined"));
    await Promise.all(ready.map(({ id }) => at.complete(shop, id)));
    clock.advance(1000);
    await at.bought(shop);
    const numbers = (await list()).map(({ number }) => number);
    expect(numbers[0]).toBe(1005);
    expect(numbers.toSorted()).toEqual([1001, 1002, 1003, 1004, 1005]);
  });

  test("each site counts by itself, and the platform, the owner and the buyer see the number", async () => {
    const { orderId, order } = await at.bought(shop);
    expect(order.label).toBe("#1001");
    expect((await at.readOrder(shop, orderId)).body.label).toBe("#1001");
    expect(await (await fetch(order.permalink_url)).text()).toContain("Order #1001");
    expect(await list("?number=1001")).toMatchObject([{ order_id: orderId, number: 1001 }]);
    expect(await list("?number=1002")).toEqual([]);
    expect((await shop.admin("GET", "/orders?number=first")).status).toBe(400);
    const [{ decision_id }] = (await list()) as unknown as [{ decision_id: string }];
    const decision = (await shop.admin("GET", `/decisions/${decision_id}`)).body;
    expect(decision).toMatchObject({ order_id: orderId, order_number: 1001 });
  });
});
