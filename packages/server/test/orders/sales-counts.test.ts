import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { cleanUp, NOON, TIER_DATABASES } from "../harness.ts";
import { openMarket } from "../selling/selling.ts";

const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

describe.each(TIER_DATABASES)("sales counts, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let market: Awaited<ReturnType<typeof openMarket>>;
  beforeAll(async () => {
    market = await openMarket(dialect, clock);
    return cleanUp;
  });

  test("add up orders by hour, buyer and product, each currency by itself, without cancelled ones", async () => {
    const { at } = market;
    const shop = await at.shop();
    const [one, other] = [await at.buyer(shop), await at.buyer(shop)];
    const vases = { items: [{ id: "vase", quantity: 4 }], total: "50.00" };
    await at.order(shop, one, vases);
    const cancelled = await at.order(shop, one);
    await shop.admin("POST", `/orders/${cancelled.body.order_id}/cancel`, {});
    clock.advance(HOUR_MS);
    await at.order(shop, other);
    await at.order(shop, other, {
      items: [{ id: "bonsai", quantity: 1 }],
      total: "5000",
      currency: "JPY",
    });
    const { body } = await shop.admin("GET", `/orders/counts?by=hour&from=${iso(NOON - 1)}`);
    const euro = (minor: number) => ({ minor, currency: "EUR" });
    const yen = { minor: 5000, currency: "JPY" };
    expect(body).toMatchObject({
      total: { orders: 3, amounts: [euro(15_000), yen] },
      items: [
        { start: iso(NOON), orders: 1, amounts: [euro(5000)] },
        { start: iso(NOON + HOUR_MS), orders: 2, amounts: [euro(10_000), yen] },
      ],
      agents: [
        { agent_id: other.agentId, orders: 2, amounts: [euro(10_000), yen] },
        { agent_id: one.agentId, orders: 1, amounts: [euro(5000)] },
      ],
      is_test: true,
      cut: false,
    });
    expect(body.products[0]).toMatchObject({ id: "vase", title: "A vase", quantity: 4, orders: 1 });
    const later = iso(NOON + HOUR_MS);
    const { body: before } = await shop.admin("GET", `/orders/counts?from=${iso(0)}&to=${later}`);
    expect(before.total).toEqual({ orders: 1, amounts: [euro(5000)] });
    // Where days begin at half past, hours are too long.
    clock.advance(HOUR_MS / 2);
    await at.order(shop, other);
    const { body: quarters } = await shop.admin("GET", "/orders/counts?by=quarter_hour");
    expect(quarters.items.at(-1)).toMatchObject({ start: iso(NOON + 1.5 * HOUR_MS), orders: 1 });
  });

  test("of another site are not among them", async () => {
    const { at } = market;
    const shop = await at.shop();
    await at.order(shop, await at.buyer(shop));
    const { body } = await (await at.shop()).admin("GET", "/orders/counts");
    expect(body.total).toEqual({ orders: 0, amounts: [] });
  });
});
