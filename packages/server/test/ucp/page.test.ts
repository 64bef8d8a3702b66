import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { systemClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { PNG } from "../pictures/sample-pictures.ts";
import { buying, lines, paying, ROSE } from "./buying.ts";
import { Platform } from "./platform.ts";

const CHALLENGED = paying("pm_card_authenticationRequired");
/** A browser that does not say that a program drives it, so that it counts as the buyer's. */
const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

describe.skipIf(skipChromium)("the page of a checkout in a browser:", () => {
  let server: TestServer;
  let platform: Platform;
  let at: ReturnType<typeof buying>;
  let shop: Shop;
  let browser: Browser;
  beforeAll(async () => {
    platform = await Platform.start();
    const env = await freshEnvironment("sqlite");
    server = await startServer({ ...env, GATEHOUSE_FETCH_ALLOW: platform.host });
    at = buying(server, platform, systemClock);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    platform.stop();
    await cleanUp();
  });
  beforeEach(async () => {
    shop = await at.shop();
  });

  /** A page that tells what it complains of, and whom it asks. */
  async function opened(url: string) {
    const page = await browser.newPage({ userAgent });
    const complaints: string[] = [];
    const asked = new Set<string>();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    await page.goto(url);
    return { page, complaints, asked };
  }
  const heading = (page: Page) => page.locator("h1").textContent();

  test("a buyer confirms the payment at the bank, and returns to an order", async () => {
    const { id, continue_url } = await at.ready(shop);
    await at.complete(shop, id, CHALLENGED);
    const { page, complaints, asked } = await opened(continue_url);
    expect(await heading(page)).toBe("Your bank asks you to confirm");
    expect(await page.locator("tr.total td").textContent()).toBe("€104.90");
    await page.getByRole("link", { name: "Continue to your bank" }).click();
    expect(await heading(page)).toBe("Pay €104.90?");
    await page.getByRole("button", { name: "Confirm" }).click();
    expect(await heading(page)).toBe("Thank you for your order");
    expect(page.url()).toBe(continue_url);
    const [order] = await at.orders(shop);
    expect(await page.getByText(`#${order.number}`).count()).toBe(1);
    expect([complaints, [...asked]]).toEqual([[], [new URL(server.url).origin]]);
    expect((await at.get(shop, id)).body.status).toBe("completed");
  });

  test("a buyer who refuses there is told that nothing was charged, and may pay in another way", async () => {
    const { id, continue_url } = await at.ready(shop);
    await at.complete(shop, id, CHALLENGED);
    const { page } = await opened(continue_url);
    await page.getByRole("link", { name: "Continue to your bank" }).click();
    await page.getByRole("button", { name: "Refuse" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("nothing was charged");
    expect(await at.orders(shop)).toEqual([]);
    await page.getByRole("button", { name: "Order and pay" }).click();
    await page.getByRole("button", { name: /with a test card/ }).click();
    expect(await heading(page)).toBe("Thank you for your order");
  });

  test("it says that a person is deciding, and shows the order after that", async () => {
    const { id, continue_url } = await at.ready(shop, { ...ROSE, ...lines(["palm", 1]) });
    await at.complete(shop, id);
    const { page, complaints } = await opened(continue_url);
    expect(await heading(page)).toBe("The shop is reviewing this order");
    const [review] = (await shop.admin("GET", "/escalations")).body.items;
    await shop.admin("POST", `/escalations/${review.escalation_id}/approve`, {});
    // A browser asks again by itself; nobody waits for that here.
    expect(await page.locator("meta[http-equiv=refresh]").getAttribute("content")).toBe("5");
    await page.reload();
    expect(await heading(page)).toBe("Thank you for your order");
    expect(await page.locator("meta[http-equiv=refresh]").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("hostile text stays plain text, and a second browser is shown neither buyer nor address", async () => {
    const title = '<img src=x onerror=alert(1)>"';
    await at.importLines(shop, [{ id: "rose", title, price: "100.00", currency: "EUR" }]);
    const { continue_url } = await at.ready(shop);
    await opened(continue_url);
    const other = await browser.newContext({ locale: "en", userAgent });
    const page = await other.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(continue_url);
    expect(await page.locator("img, script").count()).toBe(0);
    const text = (await page.locator("body").textContent()) ?? "";
    expect(text).toContain('<img src=x onerror=alert(1)>"');
    expect(await page.content()).not.toMatch(/Ada|ada@|Gartenstr|Berlin/);
    await other.close();
    expect(complaints).toEqual([]);
    const { headers } = await fetch(continue_url);
    expect([headers.get("cache-control"), headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer",
    ]);
    expect(headers.get("x-robots-tag")).toContain("noindex");
  });

  test("it shows an uploaded picture where the service has no TLS yet, as does the agent page", async () => {
    const path = `${server.url}/v1/admin/sites/${shop.site_key_hash}/products/picture?id=rose`;
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "image/png" };
    const uploaded = await fetch(path, { method: "PUT", headers, body: PNG as BodyInit });
    const { image_url } = await uploaded.json();
    expect(image_url).toMatch(/^http:/);
    const { continue_url } = await at.ready(shop);
    for (const url of [continue_url, `${server.url}/v1/agent/${shop.site_key_hash}`]) {
      const { page, complaints } = await opened(url);
      const shown = page.locator(`img[src="${image_url}"]`);
      await shown.scrollIntoViewIfNeeded();
      const width = shown.evaluate(async (picture: HTMLImageElement) => {
        await picture.decode();
        return picture.naturalWidth;
      });
      expect([await width, complaints]).toEqual([12, []]);
      await page.close();
    }
  });

  test("it later shows what was shipped, cancelled and refunded, with hostile text as plain text", async () => {
    const { orderId, order } = await at.bought(shop, { ...ROSE, ...lines(["rose", 3]) });
    const change = (verb: string, body: object) =>
      shop.admin("POST", `/orders/${orderId}/${verb}`, body);
    await change("ship", {
      line_items: [{ id: "li_1", quantity: 1 }],
      carrier: "<b>DHL</b>",
      tracking_number: "JD01",
      tracking_url: "https://dhl.example/?a=1&b=<x>",
    });
    const { page, complaints } = await opened(order.permalink_url);
    expect(await heading(page)).toBe("Part of your order is on its way");
    await change("cancel", { reason: "<script>alert(1)</script>" });
    await change("rehearse", { event: "capture" });
    await change("rehearse", { event: "refund", amount_minor: 1000 });
    await page.reload();
    expect(await heading(page)).toBe("Your order is on its way");
    const items = await page.locator("ul li").allTextContents();
    expect(items.map((text) => text.replace(/^.*? UTC · /, ""))).toEqual([
      "Sent · 1 item · <b>DHL</b> · JD01 · Track the shipment",
      "Cancelled · 2 items · <script>alert(1)</script>",
      "Refund of €10.00: done",
    ]);
    expect(await page.getByRole("link", { name: "Track the shipment" }).getAttribute("href")).toBe(
      "https://dhl.example/?a=1&b=%3Cx%3E",
    );
    expect(await page.locator("script, b").count()).toBe(0);
    expect((await page.locator("body").textContent()) ?? "").not.toMatch(/Ada|ada@|Gartenstr/);
    expect([complaints, await barriersOf(page)]).toEqual([[], NO_BARRIERS]);
    await change("rehearse", { event: "dispute" });
    await page.reload();
    expect(await page.locator("ul li").count()).toBe(3);
    await page.close();
  });

  test("a buyer who only clicks and types pays, by keyboard alone, without script", async () => {
    const { body: made } = await at.create(shop, lines(["rose", 1]));
    const context = await browser.newContext({
      javaScriptEnabled: false,
      locale: "de-DE",
      userAgent,
    });
    const page = await context.newPage();
    await page.goto(made.continue_url);
    expect(await heading(page)).toBe("Ihre Bestellung");
    await page.getByLabel("E-Mail-Adresse").fill("ada@example.com");
    await page.getByLabel("Vorname").fill("Ada");
    await page.getByLabel("Nachname").fill("Love");
    await page.getByLabel(/^Straße/).fill("Gartenstr. 1");
    await page.getByLabel("Postleitzahl").fill("10115");
    await page.getByLabel(/^(Stadt|Ort)/).fill("Berlin");
    await page.getByRole("combobox").selectOption({ label: "Deutschland" });
    await page.getByRole("button", { name: "Weiter" }).press("Enter");
    await page.getByLabel(/By post/).check();
    await page.getByRole("button", { name: "Weiter" }).click();
    expect(await page.locator("tr.total td").textContent()).toBe("104,90\u00a0€");
    await page.getByRole("button", { name: "Zahlungspflichtig bestellen" }).press("Enter");
    await page.getByRole("button", { name: /104,90/ }).click();
    const [order] = await at.orders(shop);
    expect(await page.locator("body").textContent()).toContain(`#${order.number}`);
    await page.goBack();
    await page.goto(made.continue_url);
    expect(await at.orders(shop)).toHaveLength(1);
    await context.close();
  });

  test.each(VIEWS)(
    "the form to order is accessible in $colorScheme at $width pixels, empty and filled",
    async (view) => {
      const context = await browser.newContext({ ...viewOptions(view), userAgent });
      const page = await context.newPage();
      const { body: empty } = await at.create(shop, lines(["rose", 1]));
      await page.goto(empty.continue_url);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      const { continue_url } = await at.ready(shop);
      await page.goto(continue_url);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await page.getByRole("button", { name: "Order and pay" }).click();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await context.close();
    },
  );

  test.each(VIEWS)(
    "it is accessible in $colorScheme at $width pixels, and so is the bank's page",
    async (view) => {
      const { id, continue_url } = await at.ready(shop);
      await at.complete(shop, id, CHALLENGED);
      const context = await browser.newContext({ ...viewOptions(view), userAgent });
      const page = await context.newPage();
      await page.goto(continue_url);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await page.getByRole("link", { name: "Continue to your bank" }).click();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await context.close();
    },
  );
});
