import { describe, expect, test } from "vitest";
import { freshEnvironment, startServer, TIER_DATABASES } from "../harness.ts";
import { selling } from "./selling.ts";

const LILY = { id: "lily", title: "A lily", price: "3.20", currency: "EUR" };

describe.each(TIER_DATABASES)("one product of the owner's list, on %s,", (dialect) => {
  async function open() {
    const server = await startServer(await freshEnvironment(dialect));
    const at = selling(server);
    const shop = await at.shop();
    const find = async (query: string) => {
      const { body } = await server.admin(
        "GET",
        `/v1/admin/sites/${shop.site_key_hash}/products?q=${query}`,
      );
      return body.items;
    };
    return { server, at, shop, find };
  }

  test("is added, changed field by field and refused in words of its fields", async () => {
    const { shop, find } = await open();
    const added = await shop.admin("POST", "/products", LILY);
    expect([added.status, added.body.price, added.body.paused]).toEqual([
      201,
      { minor: 320, currency: "EUR" },
      false,
    ]);
    expect((await shop.admin("POST", "/products", LILY)).status).toBe(409);
    const changed = await shop.admin("PATCH", "/products?id=lily", { price: "3.50", quantity: 4 });
    expect(changed.body).toMatchObject({ title: "A lily", price: { minor: 350 }, quantity: 4 });
    const wrong = await shop.admin("PATCH", "/products?id=lily", { price: "3,50" });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining("price: ")]);
    expect((await find("lily"))[0].price.minor).toBe(350);
    expect((await shop.admin("PATCH", "/products?id=none", { title: "x" })).status).toBe(404);
  });

  test("is neither found nor bought while it is paused, and both again afterwards", async () => {
    const { server, at, shop } = await open();
    const buyer = await at.buyer(shop);
    const search = async () =>
      (
        await server.context.db.all<{ product_id: string }>(
          "SELECT product_id FROM products WHERE title_words LIKE '%rose%'",
        )
      ).length;
    const before = await search();
    const { body } = await shop.admin("GET", "/products?q=rose");
    const [rose] = body.items;
    await shop.admin("PATCH", `/products?id=${rose.id}`, { paused: true });
    expect(await search()).toBe(before - 1);
    const refused = await at.order(shop, buyer);
    expect(refused.body.outcome).not.toBe("approved");
    // An import of prices does not put it back on sale.
    await at.importLines(shop, [
      { id: rose.id, title: rose.title, price: "10.00", currency: "EUR" },
    ]);
    expect(await search()).toBe(before - 1);
    await shop.admin("PATCH", `/products?id=${rose.id}`, { paused: false, price: "10.00" });
    expect(await search()).toBe(before);
  });

  test("counts for what the shop advertises only while it is not paused", async () => {
    const { shop } = await open();
    const missing = async () =>
      (await shop.admin("GET", "/processor")).body.missing.map(
        ({ name }: { name: string }) => name,
      );
    expect(await missing()).not.toContain("products");
    const { body } = await shop.admin("GET", "/products");
    for (const { id } of body.items) {
      await shop.admin("PATCH", `/products?id=${encodeURIComponent(id)}`, { paused: true });
    }
    expect(await missing()).toContain("products");
  });
});
