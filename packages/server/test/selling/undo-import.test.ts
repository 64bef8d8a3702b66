import { beforeAll, describe, expect, test } from "vitest";
import { changePrices } from "../../src/actions/products/change-prices.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { HOUR_MS } from "../../src/infra/time.ts";
import {
  answerOf,
  cleanUp,
  NOON,
  OPERATOR_TOKEN,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { openMarket, selling } from "./selling.ts";

const HEAD = "id,title,price,currency,quantity";
const FILE = [HEAD, "rose,Red rose,11.00,EUR,40", "tulip,Tulip,2.80,EUR,30"].join("\n");

describe.each(TIER_DATABASES)("an import of products on %s", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  beforeAll(async () => {
    ({ server } = await openMarket(dialect, clock));
    return cleanUp;
  });

  async function open() {
    const at = selling(server);
    const shop = await at.shop();
    const send = async (path: string, body: string) =>
      answerOf(
        await fetch(`${server.url}/v1/admin/sites/${shop.site_key_hash}/products/import${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "text/csv" },
          body,
        }),
      );
    const listed = async () => (await shop.admin("GET", "/products")).body.items;
    const offer = async () => (await shop.admin("GET", "/products/import")).body.import;
    const undo = async () =>
      shop.admin("POST", "/products/import/undo", { import_id: (await offer())?.import_id ?? "x" });
    return { at, shop, send, listed, offer, undo };
  }

  test("is checked by the reader that imports it, and nothing is written", async () => {
    const { send, listed } = await open();
    const before = await listed();
    const lines = [HEAD, "rose,A rose,abc,EUR,", "lily,Lily,1.00,EUR,", "lily,Lily,2.00,EUR,"];
    const { body } = await send("/check", [...lines, ",No id,1.00,EUR,"].join("\n"));
    expect(body).toMatchObject({ added: 1, changed: 0, refused: 3, removed: 0 });
    expect(body.problems.map(({ line }: { line: number }) => line)).toEqual([2, 4, 5]);
    expect(await listed()).toEqual(before);
    const whole = await send("/check?mode=replace", FILE);
    const others = before.filter(({ id }: { id: string }) => id !== "rose");
    expect(whole.body).toMatchObject({ added: 1, changed: 1, removed: others.length, refused: 0 });
    expect(whole.body.removals).toEqual(
      others.map(({ id, title }: { id: string; title: string }) => ({ id, title })),
    );
    const [change] = whole.body.changes;
    expect(change).toMatchObject({ line: 2, id: "rose", after: { title: "Red rose" } });
    expect(change.fields).toEqual(expect.arrayContaining(["title", "price", "quantity"]));
  });

  test("is undone with everything that it added, changed and removed, paused products included", async () => {
    const { shop, send, listed, offer, undo } = await open();
    const [first] = await listed();
    const sale = { sale_price: "1", sale_until: "2100-01-01T00:00:00Z" };
    const details = {
      brand: "Rosa",
      gtin: "40063812",
      sku: "R-1",
      options: { Size: "M" },
      ...sale,
    };
    const paused = await shop.admin("PATCH", `/products?id=${first.id}`, {
      ...details,
      paused: true,
    });
    expect(paused.body).toMatchObject({ paused: true, brand: "Rosa" });
    const before = await listed();
    await send("?mode=replace", FILE);
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual(["rose", "tulip"]);
    expect(await offer()).toMatchObject({ added: 1, replaced: before.length });
    expect((await undo()).body).toEqual({
      removed: 1,
      restored: before.length,
      total: before.length,
    });
    const timeless = (items: readonly { changed_at: string }[]) =>
      items.map(({ changed_at: _, ...rest }) => rest);
    expect(timeless(await listed())).toEqual(timeless(before));
    expect(await offer()).toBe(null);
    const [record] = (await shop.admin("GET", "/audit/records?type=site.changed")).body.items;
    expect(record.record.change).toMatchObject({ kind: "products_import_undone", removed: 1 });
  });

  test("cannot be undone after something else has changed the products", async () => {
    const { shop, send, listed, offer, undo } = await open();
    await send("", FILE);
    await shop.admin("PATCH", "/products?id=tulip", { price: "3.00" });
    expect(await offer()).toBe(null);
    const refused = await undo();
    expect([refused.status, refused.body.message]).toEqual([
      409,
      "No import can be undone. Something else has changed the products since the last one.",
    ]);
    expect((await listed()).some(({ id }: { id: string }) => id === "tulip")).toBe(true);
  });

  test("is undone to the prices of that moment if sales have begun or ended since", async () => {
    const { shop, send, listed, undo } = await open();
    const inHours = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
    const product = { title: "T", price: "2.00", currency: "EUR", sale_price: "1.50" };
    const products = [
      { ...product, id: "begun", sale_from: inHours(1), sale_until: inHours(3) },
      { ...product, id: "ended", sale_until: inHours(1) },
      { ...product, id: "later", sale_from: inHours(3) },
    ];
    await shop.admin("PUT", "/products", { products });
    const prices = async () =>
      (await listed()).map(({ price }: { price: { minor: number } }) => price.minor);
    expect(await prices()).toEqual([200, 150, 200]);
    const lines = products.map(({ id }) => `${id},T,9.00,EUR,`);
    await send("?mode=replace", [HEAD, ...lines].join("\n"));
    clock.advance(2 * HOUR_MS);
    expect(await prices()).toEqual([900, 900, 900]);
    expect((await undo()).body).toMatchObject({ restored: 3 });
    expect(await prices()).toEqual([150, 200, 200]);
    clock.advance(HOUR_MS);
    await changePrices(server.context, () => false);
    expect(await prices()).toEqual([200, 200, 150]);
  });

  test("leaves what was sold since out of the stock when it is undone", async () => {
    const { at, shop, send, listed, undo } = await open();
    await shop.admin("PATCH", "/products?id=rose", { quantity: 10 });
    await send("", `${HEAD}\nrose,A rose,100.00,EUR,40`);
    const bought = await at.order(shop, await at.buyer(shop));
    expect(bought.body.outcome).toBe("approved");
    const stock = async () =>
      (await listed()).find(({ id }: { id: string }) => id === "rose").quantity;
    const sold = 40 - (await stock());
    expect(sold).toBeGreaterThan(0);
    await undo();
    expect(await stock()).toBe(10 - sold);
  });

  test("leads to a list that is sorted by any column, page by page", async () => {
    const { shop, send } = await open();
    const lines = ["a,Cup,3.00,EUR,", "b,Bowl,1.00,EUR,7", "c,Aster,2.00,EUR,0"];
    await send("?mode=replace", [HEAD, ...lines].join("\n"));
    const sorted = async (sort: string) => {
      const ids: string[] = [];
      for (let next = ""; ; ) {
        const { body } = await shop.admin("GET", `/products?limit=1&sort=${sort}${next}`);
        ids.push(...body.items.map(({ id }: { id: string }) => id));
        if (body.next_cursor === undefined) return ids.join("");
        next = `&cursor=${body.next_cursor}`;
      }
    };
    expect(await Promise.all(["id", "title", "-price", "quantity"].map(sorted))).toEqual([
      "abc",
      "cba",
      "acb",
      "cba",
    ]);
    const { items } = (await shop.admin("GET", "/products?id=b")).body;
    expect(items).toMatchObject([{ id: "b" }]);
  });
});
