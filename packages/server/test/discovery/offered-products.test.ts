import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/infra/clock.ts";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";

describe("the pages for agents", () => {
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"), { clock: systemClock });
    at = selling(server);
    shop = await at.shop();
    return cleanUp;
  });
  const pages = async () => {
    const hash = shop.site_key_hash;
    const markdown = { accept: "text/markdown" };
    const asked = [
      fetch(`${server.url}/v1/agents/${hash}.md`),
      fetch(`${server.url}/v1/agent/${hash}`),
      fetch(`${server.url}/v1/agent/${hash}`, { headers: markdown }),
    ];
    return Promise.all(asked.map(async (answer) => (await answer).text()));
  };

  test("show products and prices as they are now, and none that cannot be ordered", async () => {
    for (const page of await pages()) {
      expect(page).toContain("100.00 EUR");
      expect(page).not.toContain("No more");
    }
    const [, html = ""] = await pages();
    expect(html).toContain("€100.00");
    // The first thing is what can be bought, then how. The operations of the protocols are folded there.
    const skills = "What agents can do here";
    const places = ["A rose", 'id="buy"', "<details>", "cancel_checkout", skills, "For developers"];
    // The data blocks in the head name them too.
    const body = html.slice(html.indexOf("<main>"));
    const found = places.map((words) => body.indexOf(words));
    expect(found.toSorted((a, b) => a - b)).toEqual(found);
    await at.importLines(shop, [{ id: "rose", title: "A rose", price: "111.00", currency: "EUR" }]);
    for (const page of await pages()) expect(page).toContain("111.00 EUR");
  });

  test("name the first twelve in data for search engines, with price and availability", async () => {
    const listed = async () => {
      const page = await fetch(`${server.url}/v1/agent/${shop.site_key_hash}`);
      const [, json = ""] = /id="graph">([^<]*)</.exec(await page.text()) ?? [];
      const { "@graph": nodes } = JSON.parse(json);
      const list = nodes.find((node: { "@type": string }) => node["@type"] === "ItemList");
      return { etag: page.headers.get("etag"), items: list.itemListElement };
    };
    const before = await listed();
    const more = Array.from({ length: 20 }, (_, n) => ({
      id: `a${n}`,
      title: "</script><b>",
      price: "7.50",
      currency: "EUR",
      availability: "backorder",
      ...(n === 1 ? { sku: "SHELF-1" } : {}),
    }));
    await at.importLines(shop, more);
    const { etag, items } = await listed();
    expect(etag).not.toBe(before.etag);
    expect(items).toHaveLength(12);
    expect(items[0]).toMatchObject({
      position: 1,
      item: {
        sku: "a0",
        name: "</script><b>",
        offers: {
          price: "7.50",
          priceCurrency: "EUR",
          availability: "https://schema.org/BackOrder",
        },
      },
    });
    expect(items[1].item).toMatchObject({ productID: "a1", sku: "SHELF-1" });
    for (const { id } of more) await shop.admin("DELETE", `/products?id=${id}`);
    expect((await listed()).items).toEqual(before.items);
  });

  test("show none that is sold out, or whose last pieces are being paid for", async () => {
    for (const page of await pages()) expect(page).toContain("The last one");
    const last = { items: [{ id: "last", quantity: 1 }], total: "20.00" };
    await at.order(shop, await at.buyer(shop), last);
    // The pages are made again with the next change, or after some minutes.
    await at.importLines(shop, [{ id: "vase", title: "A vase", price: "12.50", currency: "EUR" }]);
    for (const page of await pages()) expect(page).not.toContain("The last one");
  });

  test("show none while the shop is paused", async () => {
    await shop.admin("POST", "/pause", {});
    for (const page of await pages()) expect(page).not.toContain(" EUR");
    await shop.admin("POST", "/resume", {});
    for (const page of await pages()) expect(page).toContain("EUR");
  });
});
