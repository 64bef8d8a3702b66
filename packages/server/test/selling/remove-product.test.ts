import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { openWorld, told, type World } from "../ucp/buying.ts";
import { PRODUCTS } from "./selling.ts";

describe.each(TIER_DATABASES)("a product that is removed, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { at, server } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ at, server } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await at.shop();
  });
  const remove = (id: string) => shop.admin("DELETE", `/products?${new URLSearchParams({ id })}`);

  test("cannot be bought any more, and its orders still describe it", async () => {
    const buyer = await at.buyer(shop);
    expect((await at.order(shop, buyer)).body.outcome).toBe("approved");
    const { id } = await at.ready(shop);
    expect((await remove("rose")).status).toBe(204);
    expect(await at.product(shop, "rose")).toBeUndefined();

    const refused = await at.order(shop, buyer);
    expect([refused.status, refused.body.reason]).toEqual([400, "cart_invalid"]);
    const args = { items: [{ id: "rose", quantity: 1 }] };
    const mandate = await at.signed(shop, buyer);
    const { result } = await at.callTool(shop, { ...args, mandate });
    expect(result.structuredContent).toMatchObject({ outcome: "rejected", reason: "cart_invalid" });
    const [order] = await at.orders(shop);
    expect(order.items).toMatchObject([{ id: "rose", title: "A rose", quantity: 1 }]);

    const gone = [told(await at.get(shop, id)), told(await at.complete(shop, id))];
    // As where a list that replaces does not name it.
    shop = await at.shop();
    const other = await at.ready(shop);
    await shop.admin("PUT", "/products", { products: PRODUCTS.slice(1) });
    expect(gone).toEqual([
      told(await at.get(shop, other.id)),
      told(await at.complete(shop, other.id)),
    ]);
    expect(gone[1]).not.toContain("completed");
  });

  test("is recorded once, with the person who removed it", async () => {
    expect((await remove("vase")).status).toBe(204);
    const [record] = await at.records(shop, "site.changed");
    expect(record.record.change).toEqual({
      kind: "product_removed",
      product_id: "vase",
      total: PRODUCTS.length - 1,
    });
    const again = await remove("vase");
    expect([again.status, again.body.error]).toEqual([404, "not_found"]);
    const [last] = await at.records(shop, "site.changed");
    expect(last.record.record_id).toBe(record.record.record_id);
  });

  test("may have an id that cannot be part of a path", async () => {
    const odd = ["A/1", "..", "import", "50 % & ?", "größe\\L", "\u{1f339}"];
    const products = odd.map((id) => ({ id, title: id, price: "1.00", currency: "EUR" }));
    await shop.admin("PUT", "/products", { products });
    for (const id of odd) {
      expect([id, (await remove(id)).status]).toEqual([id, 204]);
    }
    expect((await shop.admin("GET", "/products")).body.items).toEqual([]);
    expect((await shop.admin("DELETE", "/products")).status).toBe(400);
  });

  test("is removed only by an owner of its site, not by reviewers, auditors or other owners", async () => {
    const tokenOf = async (role: string, site: Shop) => {
      const asked = { name: "One", role, sites: [site.site_key_hash] };
      return (await server.admin("POST", "/v1/admin/tokens", asked)).body.token as string;
    };
    const path = `/v1/admin/sites/${shop.site_key_hash}/products?id=palm`;
    const as = async (role: string, site = shop) =>
      (await server.admin("DELETE", path, undefined, await tokenOf(role, site))).status;
    expect([await as("auditor"), await as("reviewer"), await as("owner", await at.shop())]).toEqual(
      [403, 403, 404],
    );
    expect(await as("owner")).toBe(204);
  });
});
