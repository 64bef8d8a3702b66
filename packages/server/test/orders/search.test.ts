import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { isoTime, ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { ADDRESS, openWorld, ROSE, sent, type World } from "../ucp/buying.ts";

const HOUR_MS = 3_600_000;
const ZOE = { first_name: "Zoë", last_name: "Quill-Nachtigall", email: "zoe.quill@example.com" };
const TO_ADA = { ...sent("standard", { ...ADDRESS, first_name: "Ada", last_name: "Love" }) };

describe.each(TIER_DATABASES)("orders are found, on %s,", (dialect) => {
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
  const numbersIn = ({ body }: { readonly body: { items?: { number: number }[] } }) =>
    body.items?.map(({ number }) => number);
  const search = (buyer: string, more: object = {}) =>
    shop.admin("POST", "/orders/search", { buyer, ...more });
  const found = async (buyer: string, more: object = {}) => numbersIn(await search(buyer, more));
  const listed = async (query: string) => numbersIn(await shop.admin("GET", `/orders?${query}`));

  test("by the buyer's address and by whole words of the buyer's or the recipient's name", async () => {
    await at.bought(shop, { ...ROSE, buyer: ZOE, ...TO_ADA });
    clock.advance(1000);
    await at.bought(shop);
    const other = await at.shop();
    await at.bought(other, { ...ROSE, buyer: ZOE });
    for (const words of ["zoe.quill@EXAMPLE.com ", "zoe", "ZOË nachtigall", "Quill-Nachtigall"]) {
      expect([words, await found(words)]).toEqual([words, [1001]]);
    }
    expect(await found("love ada")).toEqual([1002, 1001]);
    expect(await found("love", { sort: "created_at", limit: 1 })).toEqual([1001]);
    for (const words of ["zo", "zoe love smith", "quill@example.com"]) {
      expect([words, await found(words)]).toEqual([words, []]);
    }
    const { items } = (await shop.admin("GET", "/orders")).body;
    const names = items.map(({ buyer_name }: { buyer_name: string }) => buyer_name);
    expect(names).toEqual(["Ada", "Zoë Quill-Nachtigall"]);
  });

  test("page by page, and only by owners, because only they see who bought", async () => {
    for (let i = 0; i < 3; i++) {
      await at.bought(shop);
      clock.advance(1000);
    }
    const first = await search("ada", { limit: 2 });
    expect(numbersIn(first)).toEqual([1003, 1002]);
    expect(await found("ada", { limit: 2, cursor: first.body.next_cursor })).toEqual([1001]);
    const sites = [shop.site_key_hash];
    const made = { name: "reader", role: "reviewer", sites };
    const { token } = (await server.admin("POST", "/v1/admin/tokens", made)).body;
    const path = `/v1/admin/sites/${shop.site_key_hash}/orders`;
    const refused = await server.admin("POST", `${path}/search`, { buyer: "ada" }, token);
    expect([refused.status, refused.body.error]).toEqual([403, "forbidden"]);
    const { items } = (await server.admin("GET", path, undefined, token)).body;
    expect(items[0].buyer_name).toBe(null);
  });

  test("no longer by a buyer who was erased, and not by nothing", async () => {
    const { orderId } = await at.bought(shop, { ...ROSE, buyer: ZOE });
    expect(await found("quill")).toEqual([1001]);
    await shop.admin("POST", `/orders/${orderId}/cancel`, {});
    await deliverMessages(server.context);
    const { erased } = (await shop.admin("POST", "/buyers/erase", { email: ZOE.email })).body;
    expect(erased.orders).toBe(1);
    const left = "SELECT 1 FROM order_buyers WHERE site_key_hash = ?";
    expect(await server.context.db.all(left, shop.site_key_hash)).toEqual([]);
    for (const words of ["quill", ZOE.email]) expect(await found(words)).toEqual([]);
    for (const wrong of [{}, { buyer: "–" }, { buyer: "" }, { buyer: "a", number: 1 }]) {
      expect((await shop.admin("POST", "/orders/search", wrong)).status).toBe(400);
    }
  });

  test("by the time when they were placed, also page by page and sorted otherwise", async () => {
    for (let i = 0; i < 5; i++) {
      await at.bought(shop);
      clock.advance(HOUR_MS);
    }
    const since = (hours: number) => isoTime(clock.now() - hours * HOUR_MS);
    const span = `from=${since(4)}&to=${since(1)}`;
    expect(await listed(span)).toEqual([1004, 1003, 1002]);
    expect(await listed(`${span}&sort=amount`)).toHaveLength(3);
    for (const [sort, numbers] of [
      ["-created_at", [1004, 1003, 1002]],
      ["created_at", [1002, 1003, 1004]],
    ] as const) {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const more = cursor === undefined ? "" : `&cursor=${cursor}`;
        const page = await shop.admin("GET", `/orders?${span}&sort=${sort}&limit=1${more}`);
        seen.push(...(numbersIn(page) ?? []));
        cursor = page.body.next_cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(numbers);
    }
    expect(await found("ada", { from: since(2) })).toEqual([1005, 1004]);
    expect((await shop.admin("GET", "/orders?from=yesterday")).status).toBe(400);
  });

  test("by whether all or a part of their money went back", async () => {
    const refund = async (orderId: string, amount_minor: number) => {
      await shop.admin("POST", `/orders/${orderId}/rehearse`, { event: "capture" });
      const { revision } = (await shop.admin("GET", `/orders/${orderId}`)).body;
      const body = { amount_minor, revision };
      expect((await shop.admin("POST", `/orders/${orderId}/refund`, body)).status).toBe(200);
    };
    const orders = [];
    for (let i = 0; i < 3; i++) orders.push((await at.bought(shop)).orderId);
    await refund(orders[0] as string, 10_490);
    await refund(orders[1] as string, 490);
    expect(await listed("status=refunded")).toEqual([1001]);
    expect(await listed("status=partly_refunded")).toEqual([1002]);
    expect(await listed("status=partly_refunded&sort=-amount")).toEqual([1002]);
    expect(await found("ada", { status: "refunded" })).toEqual([1001]);
    expect((await shop.admin("GET", "/orders?status=given_back")).status).toBe(400);
  });
});
