import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { PNG } from "../../server/test/pictures/sample-pictures.ts";
import { ORDER_POLICY } from "../../server/test/selling/selling.ts";
import { desk, expectQuiet } from "./desk.ts";

describe.skipIf(skipChromium)("managing a site in the console:", () => {
  const at = desk();
  const policyVersion = async () => (await at.shop.admin("GET", "/policy")).body.version;

  test("an owner changes a policy in the form, tests it on past decisions, compares it and publishes it", async () => {
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "owner", "/policy");
    await page.getByText("Your rules do not fit in one sentence.").waitFor();
    await page.getByText("No problems found.").waitFor();
    await page.getByRole("button", { name: "Add a rule" }).click();
    const rule = page.getByRole("list", { name: "Rules" }).getByRole("listitem").nth(3);
    expect(await rule.getByLabel("ID").isVisible()).toBe(false);
    await rule.getByLabel("Title").fill("More than 50 EUR");
    await rule.getByLabel("Amount").fill("60.00");
    await rule.getByText("More than 60 EUR").first().waitFor();
    await page
      .getByText(
        "Of 1 purchase in the last 30 days, 1 would be decided differently than with your current rules: 1 would have needed your review (€100.00).",
      )
      .waitFor();
    await page.getByText("Show what would be different").click();
    await page.getByRole("link", { name: "€100.00 Place an order" }).waitFor();
    await page.getByText("Show the changes").click();
    const changes = page.getByRole("list", { name: "Changes" });
    await changes
      .getByText(
        "“More than 60 EUR”: Ask for review of requests when the total is more than €60.00, or in another currency.",
      )
      .waitFor();
    expect(await page.getByText('"effect": "escalate"').last().isVisible()).toBe(false);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Version 2 decides from now on.").waitFor();
    expect(await policyVersion()).toBe(2);
    await page.getByRole("button", { name: /Version 2/ }).click();
    await changes.getByText("“More than 60 EUR”: Ask for review").waitFor();
    await page.getByRole("button", { name: /Version 1,/ }).click();
    await page.getByRole("button", { name: "Use version 1 again" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/Version 3, published/).waitFor();
    const { document } = (await at.shop.admin("GET", "/policy")).body;
    expect(document.rules).toEqual(ORDER_POLICY.rules);
    expectQuiet(opened, at.baseUrl());
  });

  test("an owner confirms a pause of sales, sees it on every page, and resumes", async () => {
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "owner");
    const pausedAt = async () => (await at.shop.admin("GET", "")).body.paused_at;
    const choosePause = () => page.getByRole("button", { name: "Pause sales" }).click();
    await choosePause();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await pausedAt()).toBeNull();
    await choosePause();
    await page.getByRole("dialog").getByRole("button", { name: "Pause sales" }).click();
    await page.getByText("Sales are paused").waitFor();
    expect(await pausedAt()).not.toBeNull();
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await page.getByRole("button", { name: "Resume sales" }).click();
    await page.getByText("Sales are paused").waitFor({ state: "hidden" });
    expect(await pausedAt()).toBeNull();
    expectQuiet(opened, at.baseUrl());
  });

  test("an owner sees the errors of a policy while writing it, and cannot publish it", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/policy?mode=json");
    const editor = page.getByLabel("Rules (JSON)");
    await editor.fill("{");
    await page.getByText(/This is not valid JSON/).waitFor();
    const never = { all: [{ skill: { eq: "a" } }, { skill: { eq: "b" } }] };
    const rules = [{ id: "never", effect: "allow", when: never }];
    await editor.fill(JSON.stringify({ ...ORDER_POLICY, rules }));
    await page.getByText(/can never match/).waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByText("No problems found.").waitFor();
    expect(await policyVersion()).toBe(1);
  });

  const day = () => new Date().toISOString().slice(0, 10);
  const fileOf = (name: string, text: string) => ({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(text),
  });
  const verdictOf = (page: Page) => page.getByRole("status").filter({ hasText: "The export" });

  test("an owner verifies the log in the page: it passes unchanged, and fails if one byte was changed", async () => {
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "auditor", "/audit");
    const paid = page.getByText("The payment of €100.00 for order #1001 is authorized.");
    await paid.waitFor();
    await page.getByLabel("Type").selectOption("mandate.decision");
    await paid.waitFor({ state: "hidden" });
    await page
      .getByText("Your rules approved “Place an order” for €100.00, requested by Buyer.")
      .waitFor();
    await page.getByText("Verify and export the log").click();
    await page.getByRole("button", { name: "Verify in this browser" }).click();
    await page.getByText("The export is verified. Your browser checked it.").waitFor();
    await page.getByText(/1 decision recalculated/).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export", exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toContain(day());
    const text = readFileSync(await download.path(), "utf8");
    const parts = page.getByLabel(/Parts of an export/);
    await parts.setInputFiles(fileOf("good.json", text));
    await page.getByRole("button", { name: "Verify these files" }).click();
    await page.getByText("The export is verified").nth(1).waitFor();
    // No checkpoint was given: nobody may read that it matches one.
    const anchoring = page.locator("[data-check=anchoring]").last();
    expect(await anchoring.textContent()).toMatch(/^–not checked: .*no checkpoint was given/);
    const changed = text.replace('"minor":10000', '"minor":10001');
    expect(changed).not.toBe(text);
    await parts.setInputFiles(fileOf("bad.json", changed));
    await page.getByRole("button", { name: "Verify these files" }).click();
    await page.getByText("The export could not be verified.").waitFor();
    await page
      .getByText(/^record \d+: /)
      .first()
      .waitFor();
    expect(await verdictOf(page).count()).toBe(2);
    expectQuiet(opened, at.baseUrl());
  });

  test("an owner creates tokens that are shown once, and revoking one signs its user out", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/tokens");
    await page.getByLabel("Name").fill("Ada");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("It is not shown again.").waitFor();
    const token = (await page.locator("pre").textContent()) ?? "";
    const ada = await at.opened();
    await ada.page.goto(`${at.baseUrl()}/console`);
    await ada.page.getByText("For programs").click();
    await ada.page.getByLabel("Token").fill(token);
    await ada.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await ada.page.getByText("Signed in as Ada (reviewer)").waitFor();
    await page.getByRole("row", { name: /^Ada/ }).getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("row", { name: /^Ada/ }).getByText("Revoked").waitFor();
    await ada.page.reload();
    await ada.page.getByText("For programs").waitFor();
  });

  test("an owner changes the site, its skills and its payment provider in the settings", async () => {
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "owner", "/settings");
    const about = page.locator("section").filter({ hasText: "Name and description" }).last();
    await about.getByLabel("Description").fill("Flowers of every kind");
    await about.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("link", { name: "Actions and requests" }).click();
    await page.getByLabel("Address of “Contact support”").fill("https://shop.example.com/help");
    await page.getByLabel("Contact support", { exact: true }).check();
    // The message of the first form may still be there, so its words prove nothing about this one.
    const isSaved = page.waitForResponse(
      (answer) => answer.request().method() === "PUT" && answer.url().endsWith("/skills"),
    );
    await page.getByRole("button", { name: "Save actions" }).click();
    expect((await isSaved).status()).toBe(200);
    await page.getByText("Not saved yet").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Payments" }).click();
    await page.getByLabel("Let agents pay through this provider").uncheck();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator('[data-gate="rail"]').getByText("Missing").waitFor();
    await page.getByText("Let agents pay through the payment provider.").waitFor();
    const { body: site } = await at.shop.admin("GET", "");
    expect(site.description).toBe("Flowers of every kind");
    expect((await at.shop.admin("GET", "/skills")).body.live).toContain("contact_support");
    expectQuiet(opened, at.baseUrl());
  });

  test("an owner adds a picture to the shop, its public page shows it, and a reviewer only sees it", async () => {
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "owner", "/settings");
    const card = page.locator("section").filter({ hasText: "Picture of the shop" }).last();
    const choose = (name: string, buffer: Buffer) =>
      card.locator("input[name=picture]").setInputFiles({ name, mimeType: "image/png", buffer });
    const save = card.getByRole("button", { name: "Save", exact: true });
    await choose("shop.png", Buffer.from("no picture"));
    await save.click();
    await card.getByText("Choose a JPEG, PNG or WebP file.").waitFor();
    await choose("shop.png", PNG);
    await save.click();
    await card.getByRole("button", { name: "Remove the picture" }).waitFor();
    const { picture_url: url } = (await at.shop.admin("GET", "")).body;
    expect(await card.getByRole("img").getAttribute("src")).toBe(url);
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    const name = (await at.shop.admin("GET", "")).body.name;
    await at.signedIn(page, "owner", "/agents-see");
    const framed = page.frameLocator("iframe").getByRole("img", { name });
    await framed.waitFor();
    const decoded = framed.evaluate(async (picture: HTMLImageElement) => {
      await picture.decode();
      return picture.naturalWidth;
    });
    expect(await decoded).toBe(12);
    const other = await at.opened();
    await at.signedIn(other.page, "reviewer", "/settings");
    await other.page.getByRole("img", { name }).waitFor();
    expect(await other.page.locator("input[name=picture]").count()).toBe(0);
    await at.signedIn(page, "owner", "/settings");
    await card.getByRole("button", { name: "Remove the picture" }).click();
    await save.click();
    await card.getByText("Drop a file here, or choose one.").waitFor();
    await expect.poll(async () => (await at.shop.admin("GET", "")).body.picture_url).toBeNull();
    expectQuiet(opened, at.baseUrl());
  });

  test("an owner sends a message again that was not delivered", async () => {
    await at.shop.admin("PUT", "/notifications", { webhook_url: "https://gone.example.com/hook" });
    await at.asks();
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/notifications");
    await page.getByRole("button", { name: "Resend" }).click();
    await page.getByText("Sent again.").waitFor();
  });

  test("a reviewer or an auditor sees no controls that change anything", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", "/policy");
    await page.getByRole("heading", { name: "All rules" }).waitFor();
    expect(await page.getByRole("button", { name: /Save|Edit|Remove|Add/ }).count()).toBe(0);
    expect(await page.getByLabel("Time zone").isDisabled()).toBe(true);
    for (const path of [
      "/settings",
      "/settings/skills",
      "/settings/payments",
      "/products",
      "/agents",
    ]) {
      await page.goto(`${at.baseUrl()}/console/${at.domain}${path}`);
      await page.locator("main h1").waitFor();
      await page.getByText("Loading…").first().waitFor({ state: "detached" });
      const ways = page.locator("main button:enabled", {
        hasText: /Save|Delete|Import|Add|Connect/,
      });
      expect([path, await ways.count()]).toEqual([path, 0]);
    }
    const rose = { id: "rose", title: "A red rose", price: "4.50", currency: "EUR" };
    await at.at.importLines(at.shop, [rose]);
    const options = [{ id: "post", title: "By post", prices: { EUR: "4.90" } }];
    const shipping = [{ countries: ["DE"], options }];
    const taxes = [{ country: "US", percent: "8.25" }];
    await at.shop.admin("PUT", "/shop", { shipping, taxes });
    for (const path of ["/products/rose", "/delivery"]) {
      await page.goto(`${at.baseUrl()}/console/${at.domain}${path}`);
      await page.getByText("You can view these settings. Only owners can change them.").waitFor();
      await page.getByLabel("Price", { exact: true }).waitFor();
      const fields = page.locator("main form :is(input, select, textarea):visible");
      expect(await fields.count()).toBeGreaterThan(5);
      expect(await page.locator("main form button:visible").allInnerTexts()).toEqual([]);
      expect(await page.locator("main form :is(input, select):visible:enabled").count()).toBe(0);
    }
  });
});
