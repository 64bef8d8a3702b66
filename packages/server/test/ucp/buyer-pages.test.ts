import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { siteByHash, updateSite } from "../../src/domain/sites/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { htmlFaults } from "../valid-html.ts";
import { noticeOf, PageBuyer, TYPED } from "./buyer.ts";
import { lines, openWorld, SHOP, type World } from "./buying.ts";

const BARE = lines(["rose", 1]);
const TEST_MODE = '<p class="test">Test mode: no money moves, and nothing is shipped.</p>';
const [ZONE] = SHOP.shipping;

/** The step of a form to go on with: its title, or `pay` for the buttons. */
function nextOf(html: string): string | undefined {
  const [, element, rest = ""] = /<(\w+) id="next" tabindex="-1">([\s\S]*)/.exec(html) ?? [];
  if (element === "fieldset") return /<legend>([^<]*)</.exec(rest)?.[1];
  return rest.includes('value="pay"') && !rest.includes("<fieldset") ? "pay" : rest.split("\n")[1];
}

const alertsIn = (html: string) => html.split('role="alert"').length - 1;

describe.each(TIER_DATABASES)("the pages that a buyer sees, on %s,", (dialect) => {
  let { server, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, new ManualClock(NOON));
    ({ server, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    shop = await at.shop();
  });
  const begun = async (to = shop, body: object = BARE) => {
    const { body: made } = await at.create(to, body);
    return new PageBuyer(server.url, made.continue_url);
  };

  test("say from the cart to the order that a shop is in test mode", async () => {
    const { body: cart } = await at.call(shop, "/carts", BARE);
    const visitor = new PageBuyer(server.url, cart.continue_url);
    expect(await visitor.look()).toContain(TEST_MODE);
    const buyer = new PageBuyer(server.url, (await visitor.press("go")).location);
    expect(await buyer.look()).toContain(TEST_MODE);
    expect(await buyer.pay(await buyer.order())).toContain(TEST_MODE);
  });

  test("say nothing of test mode in a shop with real payments", async () => {
    const { body: cart } = await at.call(shop, "/carts", BARE);
    const visitor = new PageBuyer(server.url, cart.continue_url);
    const buyer = new PageBuyer(server.url, (await visitor.press("go")).location);
    await server.context.db.transaction(async (tx) => {
      const site = await siteByHash(tx, shop.site_key_hash);
      if (!site?.provider) throw new Error("the shop has no payment provider");
      await updateSite(tx, { ...site, provider: { ...site.provider, live: true } }, NOON);
    });
    for (const page of [visitor, buyer]) expect(await page.look()).not.toContain("Test mode");
  });

  test.each([
    [["DE"], {}, true],
    [["DE"], { address_country: "de" }, true],
    [["DE"], { address_country: "AT" }, false],
    [["DE", "AT"], {}, false],
  ])(
    "choose the country if the shop delivers to one alone: %j %j",
    async (countries, place, chosen) => {
      const to = await at.shop({ shipping: [{ ...ZONE, countries }] } as never);
      const html = await (await begun(to, { ...BARE, context: place })).look();
      const [, options = ""] =
        /<select name="address_country"[^>]*>([\s\S]*?)<\/select>/.exec(html) ?? [];
      expect([options.includes("Choose a country"), options.includes('value="DE"')]).toEqual([
        !chosen,
        true,
      ]);
    },
  );

  test("come back at the next step, with what is missing beside its fields", async () => {
    const buyer = await begun();
    expect(noticeOf(await buyer.look())).toBe(undefined);
    const steps = [
      [{ ...TYPED, street_address: "" }, "Delivery address", "Complete the delivery address."],
      [
        { ...TYPED, option: "", address_country: "FR" },
        "Delivery address",
        "The shop does not deliver there.",
      ],
      [{ ...TYPED, option: "" }, "Delivery method", "Choose a delivery method."],
      [TYPED, "Delivery method", undefined],
    ] as const;
    for (const [typed, step, notice] of steps) {
      const { location } = await buyer.press("update", typed);
      expect(location).toMatch(/\/pages\/[\w-]+#next$/);
      const html = await buyer.look();
      expect(nextOf(html)).toBe(step);
      const [, rest = ""] = html.split(`<legend>${step}</legend>`);
      const fieldset = rest.split("</fieldset>")[0] ?? "";
      expect(noticeOf(fieldset) ?? "").toContain(notice ?? "");
      expect(alertsIn(html)).toBe(alertsIn(fieldset));
      expect(alertsIn(html) > 0).toBe(notice !== undefined);
    }
    expect(await buyer.look()).toContain("<strong>Total: €104.90</strong>");
  });

  test("come back at the buttons if there is nothing to choose, and at what went wrong", async () => {
    const to = await at.shop({ shipping: [] });
    await at.importLines(to, [{ id: "book", title: "Book", price: "5.00", currency: "EUR" }]);
    const buyer = await begun(to, lines(["book", 1]));
    await buyer.look();
    await buyer.press("update", TYPED);
    expect(nextOf(await buyer.look())).toBe("pay");
    await at.importLines(to, [{ id: "book", title: "Book", price: "6.00", currency: "EUR" }]);
    const { html } = await buyer.press("pay", TYPED);
    expect(nextOf(html)).toContain("Something has changed since you opened this page.");
  });

  test("show the terms with the name of the shop and the way back, and programs the text alone", async () => {
    const text = "No returns <after> 14 days.\n\nSecond paragraph.\n";
    await shop.admin("PUT", "/shop", { ...SHOP, terms: { text, version: "1" } });
    const buyer = await begun();
    await buyer.look();
    await buyer.press("update", TYPED);
    const [, link = ""] = /href="([^"]*\/terms\/[^"]*)"/.exec(await buyer.look()) ?? [];
    const { pathname, search } = new URL(link);
    const url = server.url + pathname;
    const read = async (query: string) => {
      const response = await fetch(url + query, { headers: { accept: "text/html,*/*;q=0.8" } });
      return { html: await response.text(), headers: response.headers };
    };
    const { html, headers } = await read(search);
    expect(await htmlFaults(html)).toEqual([]);
    expect(html).toContain("No returns &lt;after&gt; 14 days.\n\nSecond paragraph.");
    const site = await shop.admin("GET", "");
    expect(html).toContain(`<bdi>${site.body.name}</bdi>`);
    const [, back = ""] = /<a href="([^"]*)">Back to the order<\/a>/.exec(html) ?? [];
    expect((await buyer.ask(back)).html).toContain("Your order");
    expect([headers.get("cache-control"), headers.get("vary")]).toEqual(["no-store", "Accept"]);
    for (const query of ["", "?page=https://evil.example.com", '?page="><script>']) {
      expect((await read(query)).html).not.toMatch(/Back to the order|evil|<script/);
    }
    const plain = await fetch(url + search);
    expect([plain.headers.get("content-type"), await plain.text()]).toEqual([
      "text/plain; charset=utf-8",
      text,
    ]);
  });
});
