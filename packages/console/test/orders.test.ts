import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { ADDRESS, buying, CHECKOUT_POLICY, ROSE, SHOP } from "../../server/test/ucp/buying.ts";
import { Platform } from "../../server/test/ucp/platform.ts";
import { desk, expectQuiet, shipmentsTakeEffect } from "./desk.ts";

type Shown = Readonly<Record<"number" | "status", unknown>>;

const WIDTHS = [390, 1440];

describe.skipIf(skipChromium)("orders in the console:", () => {
  let platform: Platform;
  const at = desk({
    async env() {
      platform = await Platform.start();
      return { GATEHOUSE_FETCH_ALLOW: platform.host };
    },
  });
  afterAll(() => platform?.stop());
  const go = (page: Page, path: string) => page.goto(`${at.baseUrl()}/console/${at.domain}${path}`);
  /** A platform buys a rose that is sent by post. */
  async function bought() {
    await at.shop.admin("PUT", "/policy", CHECKOUT_POLICY);
    await at.shop.admin("PUT", "/shop", { ...SHOP, allow_unsigned: true });
    const { bought: buy } = buying(at.server, platform, at.server.context.clock);
    return (await buy(at.shop, ROSE)).orderId;
  }
  /** The page is not wider than the window. */
  const fits = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  const amount = (page: Page) => page.getByRole("dialog").getByLabel("Amount in EUR");

  test("an owner captures a payment, refunds a part of it, and the states say so", async () => {
    const orderId = await bought();
    const opened = await at.opened({ viewport: { width: 390, height: 800 } });
    const { page } = opened;
    await at.signedIn(page, "owner", "/orders?number=1001");
    // The same word as in the filter, beside the word for a test.
    await page.getByText("To send", { exact: true }).last().waitFor();
    await page.getByText("Test", { exact: true }).last().waitFor();
    expect(await fits(page)).toBe(true);
    // A tap anywhere on the row opens the order.
    await page.locator("main tbody time").click();
    await page.getByRole("heading", { name: "Order #1001" }).waitFor();
    expect(await fits(page)).toBe(true);
    await page.getByRole("button", { name: "Capture" }).click();
    expect(await amount(page).inputValue()).toBe("104.90");
    await amount(page).fill("200");
    await page.getByRole("dialog").getByRole("button", { name: "Capture" }).click();
    await page.getByRole("alert").getByText("Enter at most €104.90.").waitFor();
    expect(await amount(page).getAttribute("aria-invalid")).toBe("true");
    await amount(page).fill("104,90");
    await page.getByRole("dialog").getByRole("button", { name: "Capture" }).click();
    await page.getByRole("button", { name: "Refund…" }).click();
    expect(await amount(page).inputValue()).toBe("104.90");
    await amount(page).fill("4.90");
    await page
      .getByRole("dialog")
      .getByLabel(/^Reason/)
      .fill("It came late");
    await page.getByRole("dialog").getByRole("button", { name: "Refund" }).click();
    await page.getByText("Partly refunded", { exact: true }).waitFor();
    await page.getByText(/It came late/).waitFor();
    const shown = (await at.shop.admin("GET", `/orders/${orderId}`)).body;
    expect(shown).toMatchObject({ captured_minor: 10_490, refunded_minor: 490 });
    await page.getByRole("button", { name: "Refund…" }).click();
    expect(await amount(page).inputValue()).toBe("100.00");
    await page.getByRole("dialog").getByRole("button", { name: "Refund" }).click();
    await page.getByText("Refunded", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Refund…" }).waitFor({ state: "hidden" });
    expectQuiet(opened, at.baseUrl());
  });

  test("on a phone, every row of a list is two lines, and no list scrolls sideways", async () => {
    await at.createActivity();
    const { page } = await at.opened({ viewport: { width: 390, height: 844 } });
    await at.signedIn(page, "owner", "/orders");
    for (const path of ["orders", "products", "decisions", "reviews?status=all", "agents"]) {
      await go(page, `/${path}`);
      const row = page.locator("main tbody tr").first();
      await row.waitFor();
      expect([path, await fits(page)]).toEqual([path, true]);
      const { height = 0 } = (await row.boundingBox()) ?? {};
      expect(height, path).toBeGreaterThan(40);
      expect(height, path).toBeLessThan(90);
    }
    await go(page, "/products");
    await page.getByText("€600.00").first().click();
    await page.waitForURL("**/products/*");
  });

  test.each(WIDTHS)(
    "the page of an order has what matters beside it, at %i pixels",
    async (width) => {
      const orderId = await bought();
      const { page } = await at.opened({
        viewport: { width, height: 900 },
        permissions: ["clipboard-write"],
      });
      await at.signedIn(page, "owner", `/orders/${orderId}`);
      const placeOf = async (name: string) => {
        const heading = page.getByRole("heading", { name, exact: true });
        return (await heading.boundingBox()) ?? { x: 0, y: 0 };
      };
      const [items, buyer, timeline] = [
        await placeOf("Items"),
        await placeOf("Buyer"),
        await placeOf("Timeline"),
      ];
      if (width > 1000) expect([items.y, buyer.x > timeline.x]).toEqual([buyer.y, true]);
      else expect(items.y < buyer.y && buyer.y < timeline.y).toBe(true);
      const goods = page.locator("section", { hasText: "Items" }).last();
      await goods.getByText("Delivery€4.90").waitFor();
      await goods.getByText("Total€104.90").waitFor();
      // There is one main button, and IDs are out of the way until somebody wants them.
      expect(await page.locator("main .bg-act").allTextContents()).toEqual(["Capture"]);
      expect(await page.getByText(orderId).isVisible()).toBe(false);
      await page.getByText("Details", { exact: true }).click();
      await page.getByRole("button", { name: "Copy order ID" }).click();
      await page.getByText("Copied").waitFor();
    },
  );

  test.each(WIDTHS)("a packing slip prints without the frame, at %i pixels", async (width) => {
    const orderId = await bought();
    const { page } = await at.opened({ viewport: { width, height: 900 } });
    await at.signedIn(page, "owner", `/orders/${orderId}`);
    await page.getByRole("link", { name: "Print packing slip" }).click();
    await page.getByRole("heading", { name: "Packing slip #1001" }).waitFor();
    expect(await fits(page)).toBe(true);
    const slip = page.locator("[data-slip]");
    for (const words of ["A rose", ADDRESS.street_address, "10115 Berlin", "Ada Love", "Germany"]) {
      expect(await slip.textContent()).toContain(words);
    }
    expect(await slip.textContent()).not.toContain("€");
    await page.emulateMedia({ media: "print" });
    await page.getByRole("button", { name: "Print" }).waitFor({ state: "hidden" });
    expect(await page.getByRole("navigation").isVisible()).toBe(false);
    expect(await slip.isVisible()).toBe(true);
  });

  test("a packing slip has what is still to be sent, and then everything", async () => {
    const buyer = await at.at.buyer(at.shop);
    const items = [
      { id: "rose", quantity: 3 },
      { id: "vase", quantity: 1 },
    ];
    await at.at.order(at.shop, buyer, { items, total: "312.50" });
    const [{ order_id: orderId }] = await at.at.orders(at.shop);
    const ship = (...lines: [id: string, quantity: number][]) => {
      const line_items = lines.map(([id, quantity]) => ({ id, quantity }));
      return at.shop.admin("POST", `/orders/${orderId}/ship`, { line_items });
    };
    const { page } = await at.opened();
    const rows = async () => {
      await at.signedIn(page, "owner", `/orders/${orderId}/slip`);
      return page.locator("[data-slip] tbody tr").allTextContents();
    };
    await ship(["li_1", 1], ["li_2", 1]);
    expect(await rows()).toEqual(["2A roserose"]);
    await ship(["li_1", 2]);
    expect(await rows()).toEqual(["3A roserose", "1A vasevase"]);
  });

  test("an order is sent in parts, undone, delivered, and some of its items are cancelled", async () => {
    const buyer = await at.at.buyer(at.shop);
    const items = [{ id: "rose", quantity: 4 }];
    await at.at.order(at.shop, buyer, { items, total: "400.00" });
    const [{ order_id: orderId }] = await at.at.orders(at.shop);
    const { page } = await at.opened({ viewport: { width: 390, height: 844 } });
    await at.signedIn(page, "owner", `/orders/${orderId}`);
    const dialog = page.getByRole("dialog");
    const send = async (count: string) => {
      await page.getByRole("button", { name: "Mark as sent" }).click();
      await dialog.getByLabel("A rose (of 4)").fill(count);
      await dialog.getByLabel("Carrier (optional)").fill("DHL");
      await dialog.getByRole("button", { name: "Mark as sent" }).click();
    };
    await send("0");
    await dialog.getByText("Choose at least one item.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel items" }).click();
    await dialog.getByRole("button", { name: "Keep items" }).click();
    await send("1");
    await page.getByText(/^Marked as sent. It takes effect in \d+ s/).waitFor();
    expect(await page.getByRole("button", { name: "Cancel items" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await send("1");
    await page.getByText(/^Marked as sent. It takes effect in \d+ s/).waitFor();
    await shipmentsTakeEffect(at.server);
    await page.getByText("1 of 4 sent").waitFor();
    await page.getByRole("button", { name: "Cancel items" }).click();
    await dialog.getByLabel("A rose (of 3)").fill("2");
    await dialog.getByRole("button", { name: "Cancel items" }).click();
    await page.getByText("1 of 2 sent, 2 cancelled").waitFor();
    // The last piece is named although there is nothing to choose.
    await page.getByRole("button", { name: "Mark as sent" }).click();
    await dialog.getByText("1 × A rose").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Mark as delivered" }).click();
    await page.getByText(/^Marked as delivered. It takes effect/).waitFor();
    await shipmentsTakeEffect(at.server);
    await page.getByText("1 of 2 sent, 1 delivered, 2 cancelled").waitFor();
    expect((await at.shop.admin("GET", `/orders/${orderId}`)).body.events).toMatchObject([
      { type: "shipped", line_items: [{ quantity: 1 }], carrier: "DHL" },
      { type: "delivered", line_items: [{ quantity: 1 }] },
    ]);
    expect(await fits(page)).toBe(true);
  });

  test("several orders are marked as sent at once, and the list is sorted by a head", async () => {
    const buyer = await at.at.buyer(at.shop);
    for (const quantity of [1, 2, 1]) {
      const items = [{ id: "rose", quantity }];
      await at.at.order(at.shop, buyer, { items, total: `${quantity}00.00` });
    }
    const shop = (await at.shop.admin("GET", "/shop")).body;
    await at.shop.admin("PUT", "/shop", { ...shop, time_zone: "Asia/Tokyo" });
    const { page } = await at.opened({
      viewport: { width: 1440, height: 900 },
      timezoneId: "Europe/Berlin",
    });
    await at.signedIn(page, "owner", "/orders");
    const rows = page.locator("main tbody tr");
    await rows.nth(2).waitFor();
    expect(await rows.first().locator("time").getAttribute("title")).toMatch(/GMT\+9$/);
    await page.getByRole("button", { name: "Amount" }).click();
    await page.waitForURL("**?sort=-amount");
    await rows.first().getByText("#1002").waitFor();
    for (const number of [1001, 1002]) await page.getByLabel(`Select order #${number}`).check();
    await page.getByText("2 orders selected").waitFor();
    await page.getByRole("button", { name: "Mark as sent" }).click();
    await page.getByText("2 orders marked as sent.").waitFor();
    await page.getByText("2 orders selected").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone.").waitFor();
    await shipmentsTakeEffect(at.server);
    expect((await at.at.orders(at.shop)).every(({ status }: Shown) => status === "open")).toBe(
      true,
    );
    for (const number of [1001, 1002]) await page.getByLabel(`Select order #${number}`).check();
    await page.getByRole("button", { name: "Mark as sent" }).click();
    await page.getByText("2 orders marked as sent.").waitFor();
    await shipmentsTakeEffect(at.server);
    const orders = await at.at.orders(at.shop);
    expect(orders.map(({ number, status }: Shown) => [number, status])).toEqual([
      [1003, "open"],
      [1002, "shipped"],
      [1001, "shipped"],
    ]);
  });

  test("an owner finds orders by buyer, day and refund, and no request names the buyer", async () => {
    await bought();
    const { page } = await at.opened({ viewport: { width: 1440, height: 900 } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await at.signedIn(page, "owner", "/orders");
    const search = page.getByRole("searchbox", { name: "Buyer, email or order number" });
    const row = page.getByRole("row", { name: /#1001.*Ada/ });
    await row.waitFor();
    await search.fill("nobody@example.com");
    await search.press("Enter");
    await page.getByText("No orders found").waitFor();
    await search.fill("LOVE");
    await search.press("Enter");
    await row.waitFor();
    await page.waitForURL("**/orders#buyer=LOVE");
    await page.getByLabel("From").fill("2026-01-01");
    await page.waitForURL("**/orders?from=2026-01-01#buyer=LOVE");
    await page.reload();
    await row.waitFor();
    expect(await search.inputValue()).toBe("LOVE");
    await page.getByLabel("State").selectOption("Refunded");
    await page.getByText("No orders found").waitFor();
    await page.getByRole("link", { name: "Clear the filter" }).click();
    await row.waitFor();
    await search.fill("#1002");
    await search.press("Enter");
    await page.waitForURL("**/orders?number=1002");
    await page.getByText("No orders found").waitFor();
    expect(asked.filter((url) => /love|nobody/i.test(url.split("#")[0] ?? ""))).toEqual([]);
  });

  test("keys of a platform are created, shown once and revoked on its page", async () => {
    await at.shop.admin("PUT", "/platforms/known.example", { status: "admitted" });
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/platforms");
    await page.getByRole("link", { name: "known.example" }).click();
    await page.getByRole("heading", { name: "known.example" }).waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText(/^ghk_/).waitFor();
    await page.getByLabel("Kind").selectOption("oauth_client");
    await page.getByLabel("Valid for (days)").fill("30");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByText(/^ghs_/).waitFor();
    await page.getByText(/\/oauth\/token$/).waitFor();
    await go(page, "/platforms/known.example");
    const keys = page.getByRole("list", { name: "Keys" }).getByRole("listitem");
    await keys.nth(1).waitFor();
    expect(await page.getByText(/^gh[ks]_/).count()).toBe(0);
    await keys.first().getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await keys.first().getByText("Revoked", { exact: true }).waitFor();
    const { items } = (await at.shop.admin("GET", "/platforms/known.example/credentials")).body;
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(["oauth_client", "api_key"]);
    expect(items[0].revoked_at).not.toBe(null);
    expect(items[1].revoked_at).toBe(null);
  });
});
