import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { SETTINGS_PARTS } from "../src/settings/parts.ts";
import { desk } from "./desk.ts";

const LABELS = Object.values(SETTINGS_PARTS).map(({ label }) => label);

describe.skipIf(skipChromium)("the settings", () => {
  const at = desk();

  test("are a list on a phone, with what each part says now, and a page for each", async () => {
    const { page } = await at.opened({ viewport: { width: 390, height: 844 } });
    await at.signedIn(page, "owner", "/settings");
    const list = page.getByRole("navigation", { name: "Settings" });
    const links = list.getByRole("link");
    await list.getByText("The sandbox is connected in test mode.").waitFor();
    await list.getByText("Nobody is notified yet.").waitFor();
    await list.getByText(`${at.domain}: Confirmed by the operator, not checked.`).waitFor();
    await list.getByText("Agents can buy.").waitFor();
    await list.getByText("2 actions on. Search and checkout need none.").waitFor();
    expect(await links.count()).toBe(LABELS.length);
    expect(await page.getByLabel("Description").isVisible()).toBe(false);
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    await links.filter({ hasText: "Notifications" }).click();
    await page.getByRole("heading", { name: "Notifications", level: 1 }).waitFor();
    expect(await list.isVisible()).toBe(false);
    const test = page.getByRole("button", { name: "Send a test message" });
    await page.getByText("Save an email address or a webhook first.").waitFor();
    expect(await test.isDisabled()).toBe(true);
    const [mail, webhook] = [page.getByLabel("Email addresses"), page.getByLabel("Webhook")];
    const topOf = async (field: typeof mail) => (await field.boundingBox())?.y ?? 0;
    expect(await topOf(mail)).toBeLessThan(await topOf(webhook));
    await page.getByLabel("Webhook").fill("https://shop.example.com/hooks");
    await page.getByText("Save your changes first.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    expect(await test.isDisabled()).toBe(false);
    await page.getByRole("link", { name: "All settings" }).click();
    await list.getByText("We notify a webhook.").waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
  });

  test("have their list beside the chosen part where there is room", async () => {
    const { page } = await at.opened({ viewport: { width: 1440, height: 900 } });
    await at.signedIn(page, "owner", "/settings");
    const list = page.getByRole("navigation", { name: "Settings" });
    await page.getByLabel("Description").waitFor();
    for (const label of LABELS) {
      await list.getByRole("link", { name: label }).first().click();
      await page.getByRole("heading", { name: label, level: 1 }).waitFor();
    }
    expect(await page.getByRole("link", { name: "All settings" }).isVisible()).toBe(false);
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
  });

  test("fold ids, keys and addresses for programs", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/site");
    const key = page.getByText(at.shop.site_key, { exact: true });
    await key.waitFor({ state: "attached" });
    expect(await key.isVisible()).toBe(false);
    await page.getByText("Details", { exact: true }).click();
    await key.waitFor();
    await page.getByRole("link", { name: "Actions and requests" }).click();
    await page.getByLabel("Add your own action").waitFor({ state: "attached" });
    expect(await page.getByLabel("Add your own action").isVisible()).toBe(false);
    await page.getByText("Advanced", { exact: true }).click();
    const add = page.getByLabel("Add your own action");
    await add.fill("get_pricing");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").getByText("This action is in the list already.").waitFor();
  });

  test("change the domain after a warning, and lead to the proof of the new one", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/site");
    await page.getByRole("button", { name: "Change the domain…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("until you have verified the new domain").waitFor();
    const domain = dialog.getByLabel("New domain");
    const change = dialog.getByRole("button", { name: "Change the domain" });
    await domain.fill("no domain");
    await change.click();
    await dialog.getByRole("alert").waitFor();
    await domain.fill(`new-${at.domain}`);
    await change.click();
    await page.getByLabel("Method").waitFor();
    expect((await at.shop.admin("GET", "")).body).toMatchObject({
      domain: `new-${at.domain}`,
      status: "pending",
    });
  });

  test("give an action a title and a description", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/skills");
    const row = page.getByRole("listitem").filter({ hasText: "Get pricing" }).first();
    await row.getByText("Details", { exact: true }).click();
    await row.getByLabel("Title of “Get pricing”").fill("What does it cost?");
    const description = row.getByLabel("Description of “Get pricing”");
    await description.fill("Prices of flowers and of delivery.");
    await page.getByRole("button", { name: "Save actions" }).click();
    await page.getByText("Saved.").waitFor();
    const { skills } = (await at.shop.admin("GET", "/skills")).body;
    expect(skills.find(({ id }: { id: string }) => id === "get_pricing")).toMatchObject({
      title: "What does it cost?",
      description: "Prices of flowers and of delivery.",
    });
  });
});
