/** Shopify's command for UCP shops at a site's own domain, over TLS. What it cannot pay, a person pays in a browser. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UCP_VERSIONS } from "@gatehouse/protocol";
import type { Browser } from "playwright-core";
import { afterEach, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { launchChromium, skipChromium } from "../../test/chromium.ts";
import { canBuy } from "../contract/buying.ts";
import { FETCH_MS_MAX, shopifyUcpCli } from "./fetched.ts";
import { type Market, openMarket } from "./market.ts";
import { type Client, startClient } from "./ucp-cli.ts";

/** The domain of each shop, and the version of the profile at its root. */
const SHOPS = { "fern.example.com": "2026-08-25", "moss.example.com": "2026-04-08" } as const;
const FERN = "https://fern.example.com";
const TOOLS = [
  "search_catalog",
  "lookup_catalog",
  "get_product",
  "create_cart",
  "get_cart",
  "update_cart",
  "cancel_cart",
  "create_checkout",
  "get_checkout",
  "update_checkout",
  "complete_checkout",
  "cancel_checkout",
  "get_order",
];
const TWO_ROSES = { line_items: [{ item: { id: "rose" }, quantity: 2 }] };
const ADA = { first_name: "Ada", last_name: "Love" };
const ADDRESS = {
  ...ADA,
  street_address: "Gartenstr. 1",
  address_locality: "Berlin",
  postal_code: "10115",
  address_country: "DE",
};

/** A person in a browser of their own. */
async function openBrowser(browser: Browser, { names }: Market, url: string) {
  // Chromium knows the authorities of its system alone; programs are told of ours.
  // Nor does it say that a program drives it: the page shows a buyer's address to people alone.
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) Chrome/${browser.version()} Safari/537.36`;
  const proxy = { server: names.proxyUrl };
  const options = { locale: "en", ignoreHTTPSErrors: true, proxy, userAgent };
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  const press = (name: string | RegExp) => page.getByRole("button", { name }).click();
  return {
    page,
    press,
    heading: () => page.locator("h1").textContent(),
    async type(entries: Readonly<Record<string, string>>) {
      for (const [label, text] of Object.entries(entries)) {
        await page.getByLabel(label, { exact: true }).fill(text);
      }
    },
    /** Orders, and pays on the page of the sandbox. Returns what the order page says. */
    async pay(): Promise<string> {
      await press("Order and pay");
      await press(/€204\.90/);
      expect(await page.locator("h1").textContent()).toBe("Thank you for your order");
      return (await page.locator("body").textContent()) ?? "";
    },
    close: () => context.close(),
  };
}

describe.skipIf(!canBuy())("Shopify's ucp-cli", () => {
  let cli: Awaited<ReturnType<typeof shopifyUcpCli>>;
  let browser: Browser | undefined;
  let market: Market;
  beforeAll(async () => {
    cli = await shopifyUcpCli();
    if (cli === undefined) return;
    market = await openMarket(SHOPS);
    if (!skipChromium) browser = await launchChromium();
    return async () => {
      await browser?.close();
      await market.close();
    };
  }, FETCH_MS_MAX);

  describe.each(UCP_VERSIONS)("with a profile of version %s", (version) => {
    let client: Client;
    let commands = 0;
    beforeAll(async () => {
      if (cli !== undefined) client = await startClient(market, cli, version);
    });
    afterEach(({ task }) => {
      Object.assign(task.meta, { outside: commands });
      commands = 0;
    });

    function needsClient({ skip }: TestContext): void {
      if (cli === undefined) skip("ucp-cli or a Node that it runs on could not be fetched");
    }
    function needsBrowser(context: TestContext): Browser {
      needsClient(context);
      return browser ?? context.skip("there is no Chromium here: set CHROMIUM_PATH to one");
    }

    /** Runs a command, whose answer must be one that the client reads, in the version it speaks. */
    async function use(...args: readonly string[]) {
      const { code, said, err } = await client.run(...args, "--business", FERN);
      const good = [0, "", { version, status: "success" }];
      expect([code, err, said.ucp], said.message).toMatchObject(good);
      commands++;
      return said.result;
    }
    const send = (body: object) => ["--input", JSON.stringify(body)] as const;

    /** A cart, and the checkout it becomes. */
    async function beginCheckout() {
      const cart = await use("cart", "create", ...send(TWO_ROSES));
      const from = { cart_id: cart.id, line_items: [] };
      const checkout = await use("checkout", "create", ...send(from));
      expect(checkout.line_items).toMatchObject([{ item: { id: "rose" }, quantity: 2 }]);
      expect([cart.continue_url, checkout.continue_url]).toEqual(
        Array(2).fill(expect.stringMatching(/^https:\/\/gate\.example\.com\//)),
      );
      return checkout;
    }

    /** The checkout has become the order that the person saw, and the client is told so. */
    async function expectOrdered(id: string, seen: string) {
      const done = await use("checkout", "get", id);
      expect([done.status, done.continue_url]).toEqual(["completed", undefined]);
      const [order] = await market.orders("fern.example.com");
      expect([done.order.id, order.amount]).toMatchObject([order.order_id, { minor: 20_490 }]);
      expect(seen).toContain(done.order.id);
      return done.order as { readonly id: string; readonly permalink_url: string };
    }

    test("discovers shops by the root of their domain, whichever version that has", async (context) => {
      needsClient(context);
      for (const [domain, root] of Object.entries(SHOPS)) {
        // A page of the shop is as good: the profile is at the root of its domain.
        const page = `https://${domain}/roses`;
        const { code, said, err } = await client.run("discover", "--business", page);
        expect([code, err, said.result.profile.ucp.version]).toEqual([0, "", version]);
        const { protocol, negotiated } = said.result;
        const source = root === version ? "well-known" : "supported_versions";
        expect(protocol).toMatchObject({ version, source });
        const service = negotiated["dev.ucp.shopping"];
        expect([service.version, service.transport]).toEqual([version, "mcp"]);
        expect(Object.keys(service.tools)).toEqual(expect.arrayContaining(TOOLS));
      }
    });

    test("searches the catalog, looks products up and shows one", async (context) => {
      needsClient(context);
      const rose = { id: "rose", title: "A red rose" };
      const found = await use("catalog", "search", ...send({ query: "rose" }));
      expect(found.products).toMatchObject([rose]);
      const { products } = await use("catalog", "lookup", ...send({ ids: ["rose"] }));
      expect(products).toMatchObject([rose]);
      expect((await use("catalog", "get_product", "rose")).product).toMatchObject(rose);
    });

    test("sends back what it was given, changes carts and gives them up", async (context) => {
      needsClient(context);
      const { id, line_items } = await use("cart", "create", ...send(TWO_ROSES));
      const one = { line_items: [{ id: line_items[0].id, item: { id: "rose" }, quantity: 1 }] };
      await use("cart", "update", id, ...send(one));
      expect((await use("cart", "get", id)).line_items).toMatchObject([{ quantity: 1 }]);
      await use("cart", "cancel", id);
      const checkout = await beginCheckout();
      const [method] = checkout.fulfillment.methods;
      const groups = method.groups.map(({ options: _, ...group }: { options: unknown }) => group);
      const methods = [{ ...method, groups }];
      const again = await use(
        ...(["checkout", "update", checkout.id] as const),
        ...send({ ...TWO_ROSES, fulfillment: { methods } }),
      );
      expect(again.fulfillment).toEqual(checkout.fulfillment);
      expect((await use("checkout", "cancel", checkout.id)).status).toBe("canceled");
    });

    test("hands over a checkout that lacks everything, and a person enters it and pays", async (context) => {
      const chromium = needsBrowser(context);
      const { id, status, continue_url } = await beginCheckout();
      expect(status).toBe("incomplete");
      const person = await openBrowser(chromium, market, continue_url);
      expect(await person.heading()).toBe("Your order");
      await person.type({
        "Email address": "ada@example.com",
        "First name": "Ada",
        "Last name": "Love",
        "Street and number": "Gartenstr. 1",
        "Postal code": "10115",
        City: "Berlin",
      });
      await person.page.getByLabel("Country").selectOption({ label: "Germany" });
      await person.press("Continue");
      await expectOrdered(id, await person.pay());
      await person.close();
    });

    test("enters the address, cannot pay, and tells its hook where a person does", async (context) => {
      const chromium = needsBrowser(context);
      const { id, line_items } = await beginCheckout();
      const line_item_ids = line_items.map((line: { id: string }) => line.id);
      const lines = line_items.map(({ id, item, quantity }: (typeof line_items)[0]) => ({
        id,
        item: { id: item.id },
        quantity,
      }));
      const buyer = { ...ADA, email: "ada@example.com" };
      const update = (method: object) => {
        const methods = [{ type: "shipping", line_item_ids, ...method }];
        const body = { line_items: lines, buyer, fulfillment: { methods } };
        return use("checkout", "update", id, ...send(body));
      };
      const { fulfillment } = await update({ destinations: [ADDRESS] });
      const [
        {
          destinations,
          groups: [group],
        },
      ] = fulfillment.methods;
      expect(group.options).toMatchObject([{ id: "standard", title: "By post" }]);
      const groups = [{ id: group.id, selected_option_id: "standard" }];
      expect((await update({ destinations, groups })).status).toBe("ready_for_complete");
      const hook = ["--on-escalation", "cat > hook.json"];
      const completed = await use("checkout", "complete", id, ...send({}), ...hook);
      expect([completed.status, completed.messages[0]]).toMatchObject([
        "requires_escalation",
        { type: "error", severity: "requires_buyer_input" },
      ]);
      const told = JSON.parse(readFileSync(join(client.home, "hook.json"), "utf8"));
      expect(told).toMatchObject({ status: "requires_escalation", operation: "complete_checkout" });
      expect([told.url, told.business]).toEqual([completed.continue_url, FERN]);
      const person = await openBrowser(chromium, market, told.url);
      expect(await person.page.getByLabel("Street and number").inputValue()).toBe("Gartenstr. 1");
      const order = await expectOrdered(id, await person.pay());
      await person.close();
      const later = await openBrowser(chromium, market, order.permalink_url);
      expect(await later.page.locator("body").textContent()).toContain(order.id);
      await later.close();
    });

    test("is told what is not there, and that an order is shown to signed calls alone", async (context) => {
      needsClient(context);
      const none = await client.run("checkout", "get", "chk_none", "--business", FERN);
      expect([none.code, none.said.ucp]).toEqual([0, { version, status: "error" }]);
      expect(none.said.result.messages).toMatchObject([{ code: "not_found" }]);
      const order = await client.run("order", "get", "ord_none", "--business", FERN);
      expect([order.code, order.said.code]).toEqual([1, "AUTH_REQUIRED"]);
    });
  });
});
