import { describe, expect, onTestFinished, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { startReceiver } from "../../server/test/notifications/receiver.ts";
import { CHECKOUT_POLICY } from "../../server/test/ucp/buying.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("delivery and taxes at the console:", () => {
  const at = desk();
  const shop = async () => (await at.shop.admin("GET", "/shop")).body;

  test("a zone with a price is added in a form, and told in a sentence", async () => {
    const { page } = await at.opened();
    await at.shop.admin("PUT", "/shop", {});
    await at.signedIn(page, "owner", "/delivery");
    await page.getByText("You have no delivery zones yet").waitFor();
    await page.getByRole("button", { name: "Add a zone" }).click();
    const delivery = page.locator("section").filter({ hasText: "Zone 1" }).last();
    await delivery.getByLabel("Add a country").selectOption("Germany");
    await delivery.getByLabel("Add a country").selectOption("Austria");
    await delivery.getByLabel("Delivery option").fill("By post");
    await delivery.getByLabel("Price").fill("4,90");
    await delivery.getByLabel("Currency").selectOption("EUR");
    await delivery.getByLabel("Delivery days, from").fill("2");
    await delivery.getByLabel("Delivery days, to").fill("4");
    await delivery.getByRole("button", { name: "Save" }).click();
    await page.getByText("Germany, Austria: By post for €4.90, 2 to 4 days.").waitFor();
    expect((await shop()).shipping).toEqual([
      {
        countries: ["DE", "AT"],
        options: [{ id: "by-post", title: "By post", prices: { EUR: "4.90" }, days: [2, 4] }],
      },
    ]);
  });

  test("taxes and links are saved without touching the other settings", async () => {
    const { page } = await at.opened();
    const post = { id: "post", title: "By post", prices: { EUR: "4.9", CHF: "6" } };
    const shipping = [{ countries: ["DE"], options: [post] }];
    await at.shop.admin("PUT", "/shop", { shipping });
    await at.signedIn(page, "owner", "/delivery");
    expect(await page.getByLabel("Price").inputValue()).toBe("4.90");
    expect(await page.getByLabel("Amount in CHF", { exact: true }).inputValue()).toBe("6.00");
    const currencies = page.getByLabel("Currency", { exact: true }).first().locator("option");
    expect((await currencies.allTextContents()).slice(0, 3)).toEqual([
      "EUR – Euro",
      "USD – US Dollar",
      "GBP – British Pound",
    ]);
    await page.getByRole("button", { name: "Add a tax" }).click();
    await page.getByLabel("Percent").fill("8,25");
    await page.getByLabel("Country", { exact: true }).selectOption("United States");
    await page.getByLabel("Region").fill("TX");
    const taxes = page.locator("section").filter({ hasText: "Add a tax" }).last();
    await taxes.getByRole("button", { name: "Save" }).click();
    await page.getByText("Added to your prices: 8.25 % in TX, United States.").waitFor();
    await page.getByLabel("Returns and refunds").fill("https://shop.example.com/returns");
    const terms = page.locator("section").filter({ hasText: "Your terms" }).last();
    await terms.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(async () => (await shop()).links)
      .toEqual({ refund_policy: "https://shop.example.com/returns" });
    expect(await shop()).toMatchObject({
      shipping,
      taxes: [{ country: "US", region: "TX", percent: "8.25" }],
    });
  });

  test.each([390, 1440])(
    "at %i pixels, what is wrong stands beside its field, and saving one card keeps the others",
    async (width) => {
      const { page } = await at.opened({ viewport: { width, height: 844 } });
      await at.shop.admin("PUT", "/shop", {});
      await at.signedIn(page, "owner", "/delivery");
      await page.getByRole("button", { name: "Add a tax" }).click();
      const taxes = page.locator("section").filter({ hasText: "Add a tax" }).last();
      await taxes.getByLabel("Percent").fill("a lot");
      await taxes.getByRole("button", { name: "Save" }).click();
      await taxes.getByText("Choose a country.").waitFor();
      await taxes.getByLabel("Country").selectOption("Germany");
      await taxes.getByRole("button", { name: "Save" }).click();
      await taxes.getByText("Enter a number from 0 to 99.9999, such as 7.25.").waitFor();
      expect(await taxes.getByLabel("Percent").getAttribute("aria-invalid")).toBe("true");
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      const terms = page.locator("section").filter({ hasText: "Your terms" }).last();
      await terms.getByLabel("Your terms").fill("Half a sen");
      await taxes.getByLabel("Percent").fill("7");
      await taxes.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      await page.getByText("Added to your prices: 7 % in Germany.").waitFor();
      const example = "a product at €100.00 costs €107.00: €7.00 of it is tax.";
      await page.getByText(example).waitFor();
      expect(await terms.getByLabel("Your terms").inputValue()).toBe("Half a sen");
      await terms.getByText("Not saved yet").waitFor();
      await terms.getByRole("button", { name: "Discard changes" }).click();
      expect(await terms.getByLabel("Your terms").inputValue()).toBe("");
    },
  );

  test("a zone without a country, and an option without a price, are named beside their fields", async () => {
    const { page } = await at.opened();
    await at.shop.admin("PUT", "/shop", {});
    await at.signedIn(page, "owner", "/delivery");
    await page.getByRole("button", { name: "Add a zone" }).click();
    await page.getByLabel("Delivery option").fill("By post");
    await page.getByLabel("Price").fill("free");
    const delivery = page.locator("section").filter({ hasText: "Zone 1" }).last();
    await delivery.getByRole("button", { name: "Save" }).click();
    await delivery.getByText("Add at least one country.").waitFor();
    await delivery.getByLabel("Add a country").selectOption("Malta");
    await delivery.getByRole("button", { name: "Save" }).click();
    await delivery.getByText("Enter a price such as 4.90.").waitFor();
    expect(await delivery.getByText(/shipping/).count()).toBe(0);
  });

  test("a price in another currency, the cart link and who can order are set without JSON", async () => {
    const { page } = await at.opened();
    const post = { id: "post", title: "By post", prices: { EUR: "4.90", CHF: "6.00" } };
    await at.shop.admin("PUT", "/shop", { shipping: [{ countries: ["DE"], options: [post] }] });
    await at.signedIn(page, "owner", "/delivery");
    const delivery = page.locator("section").filter({ hasText: "Zone 1" }).last();
    await delivery.getByLabel("Amount in CHF", { exact: true }).fill("7,50");
    await delivery.getByLabel("Also charge in").selectOption("USD");
    await delivery.getByLabel("Amount in USD", { exact: true }).fill("x");
    await delivery.getByRole("button", { name: "Save delivery" }).click();
    const usd = delivery.getByLabel("Amount in USD", { exact: true });
    await expect.poll(() => usd.getAttribute("aria-invalid")).toBe("true");
    await usd.fill("8");
    await delivery.getByRole("button", { name: "Save delivery" }).click();
    await expect
      .poll(async () => (await shop()).shipping[0].options[0].prices)
      .toEqual({ EUR: "4.90", CHF: "7.50", USD: "8" });
    await delivery.getByRole("button", { name: "Remove the amount in CHF" }).click();
    await delivery.getByRole("button", { name: "Save delivery" }).click();
    await expect
      .poll(async () => (await shop()).shipping[0].options[0].prices)
      .toEqual({ EUR: "4.90", USD: "8.00" });
    const ordering = page.locator("section").filter({ hasText: "Link to your own cart" }).last();
    await ordering.getByText("Only platforms that prove who they are can order.").waitFor();
    await ordering.getByLabel("Link to your own cart").fill("https://shop.example.com/cart");
    await ordering.getByRole("button", { name: "Save ordering" }).click();
    await ordering.getByText("Enter an https:// address with {items}").waitFor();
    await ordering
      .getByLabel("Link to your own cart")
      .fill("https://shop.example.com/cart/{items}");
    await ordering.getByLabel("Let platforms order").check();
    await ordering.getByLabel("Let agents order goods without").check();
    await ordering.getByRole("button", { name: "Save ordering" }).click();
    await ordering.getByText("Any platform can order. Agents can order goods without").waitFor();
    expect(await shop()).toMatchObject({
      cart_link: "https://shop.example.com/cart/{items}",
      allow_unsigned: true,
      orders_without_address: true,
      shipping: [{ countries: ["DE"] }],
    });
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
  });

  test("the currency and the time zone are chosen from lists, and suggested from then on", async () => {
    const { page } = await at.opened({ timezoneId: "Europe/Berlin" });
    await at.shop.admin("PUT", "/shop", {});
    await at.signedIn(page, "owner", "/settings/site");
    const card = page.locator("section").filter({ hasText: "Currency and time zone" }).last();
    await card.getByText("New rules use the time zone of your browser.").waitFor();
    await card.getByLabel("Currency").selectOption("JPY");
    await card.getByRole("button", { name: "Time zone" }).click();
    await page.getByRole("combobox", { name: "Time zone" }).fill("new york");
    await page.getByRole("option", { name: /America\/New York/ }).click();
    await card.getByRole("button", { name: "Save" }).click();
    await card
      .getByText(
        "The console suggests Japanese Yen (JPY) for new prices and limits. Times, days and new rules use the time in America/New York.",
      )
      .waitFor();
    expect(await shop()).toMatchObject({ currency: "JPY", time_zone: "America/New_York" });
    await page.goto(`${at.baseUrl()}/console/${at.domain}/products/new`);
    expect(await page.getByLabel("Currency").inputValue()).toBe("JPY");
  });
});

describe.skipIf(skipChromium)("getting ready to sell:", () => {
  const at = desk({ env: async () => ({ GATEHOUSE_FETCH_ALLOW: "127.0.0.1" }) });

  test("the overview lists what is left, ticks only what was seen, and is gone when all is done", async () => {
    const { page } = await at.opened();
    await at.shop.admin("PUT", "/shop", {});
    await at.signedIn(page);
    const list = page.getByRole("list", { name: "Get ready to sell" });
    const step = (title: string) => list.getByRole("listitem").filter({ hasText: title });
    await step("Set up delivery").getByText("(to do)").waitFor();
    // The operator vouched for the domain of this shop.
    await step("Verify your domain").getByText("(not checked)").waitFor();
    await step("Verify your domain").getByText("Confirmed by the operator, not checked.").waitFor();
    expect(await step("Verify your domain").getByText("✓").count()).toBe(0);
    await step("Add your products").getByText("(done)").waitFor();
    await step("Make a test purchase").getByText("(to do)").waitFor();
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    await page.reload();
    await step("Make a test purchase").getByText("(done)").waitFor();
    await step("Set up delivery").getByRole("link").click();
    await page.getByRole("link", { name: "Open Delivery and taxes" }).waitFor();
    // A shop of digital goods needs no delivery.
    await page.getByRole("button", { name: "I deliver nothing" }).click();
    await step("Set up delivery").getByText("(not needed)").waitFor();
    expect((await at.shop.admin("GET", "/shop")).body.delivers).toBe(false);
    await page.getByRole("link", { name: "Open Delivery and taxes" }).click();
    await page.getByLabel("I deliver nothing").uncheck();
    const delivery = page.locator("section").filter({ hasText: "I deliver nothing" }).last();
    await delivery.getByRole("button", { name: "Save delivery" }).click();
    await page.getByRole("link", { name: "← Back to the setup" }).click();
    await step("Set up delivery").getByText("(to do)").waitFor();
  });

  test("when no step is left, Home says who can buy", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    await at.shop.admin("PUT", "/shop", { delivers: false });
    const places = { webhook_url: receiver.url, emails: [], questions: false };
    expect((await at.shop.admin("PUT", "/notifications", places)).status).toBe(200);
    await at.shop.admin("POST", "/notifications/test", {});
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    const { page } = await at.opened();
    await page.route("**/visits?limit=20", (route) =>
      route.fulfill({ json: { items: [{ off_site: false }] } }),
    );
    await at.signedIn(page);
    await page.getByText("Ready for test purchases.").waitFor();
    await page.getByText("Your domain: Confirmed by the operator, not checked.").waitFor();
    await page.getByText("Agents can buy.").waitFor();
    await at.shop.admin("PUT", "/skills", { skills: [] });
    await at.shop.admin("PUT", "/policy", CHECKOUT_POLICY);
    await page.reload();
    await page.getByText("Agents can buy at checkout (UCP), but not with signed").waitFor();
    await page.getByText("“Place an order” is off.").waitFor();
    expect(await page.getByText("Agents can buy.").count()).toBe(0);
    await page.goto(`${at.baseUrl()}/console/${at.domain}/settings/payments`);
    // The summary beside the page, and the page.
    const sentences = page.getByText("Agents can buy at checkout (UCP), but not with signed");
    await expect.poll(() => sentences.count()).toBe(2);
  });

  test("notifications are done when a message was delivered, and what no step is about is named", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { page } = await at.opened();
    await at.shop.admin("PATCH", "/mandates", { enabled: false });
    await at.signedIn(page, "owner", "?step=notifications");
    const list = page.getByRole("list", { name: "Get ready to sell" });
    const step = list.getByRole("listitem").filter({ hasText: "Set up notifications" });
    await page.getByText("Agents cannot buy yet.").waitFor();
    const obstacle = page.getByRole("link", { name: "Let agents register and send signed" });
    expect(await obstacle.getAttribute("href")).toContain("/settings/skills");
    await page.getByLabel("Webhook").fill(new URL("/roses", receiver.url).href);
    await page.getByLabel("Format of the messages").selectOption("ntfy");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await step.getByText("Saved, but not tried yet.").waitFor();
    await step.getByText("(to do)").waitFor();
    await page.getByRole("button", { name: "Send a test message" }).click();
    await step.getByText("(done)").waitFor();
    expect(JSON.parse(receiver.received[0]?.body ?? "{}").topic).toBe("roses");
    expect((await at.shop.admin("GET", "/notifications")).body.webhook_format).toBe("ntfy");
  });

  test("a shop that takes real payments is told how to see a purchase", async () => {
    const { page } = await at.opened();
    await page.route("**/processor", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), live: true } });
    });
    await at.signedIn(page, "owner", "?step=purchase");
    await page.getByText("Your site takes real payments, and a test purchase needs").waitFor();
    expect(await page.getByRole("button", { name: "Start test purchase" }).count()).toBe(0);
  });
});
