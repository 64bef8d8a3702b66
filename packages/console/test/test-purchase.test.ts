import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

/** The console checks a running test every few seconds. */
const CLEANED_MS = 15_000;

describe.skipIf(skipChromium)("the test purchase:", () => {
  const at = desk();
  const ITEM = "gatehouse-test-item";
  const item = () => at.at.product(at.shop, ITEM);
  const testAgent = async () => {
    const { items } = (await at.shop.admin("GET", "/agents?q=Test%20agent")).body;
    return items[0];
  };
  const begin = async (page: Page) => {
    await at.signedIn(page, "owner", "/setup?step=purchase");
    await page.getByRole("button", { name: "Start test purchase" }).click();
    await page.getByText("The test purchase needs review.").waitFor();
  };

  test("it is not done while it needs review, and done when it is decided", async () => {
    const { page } = await at.opened();
    await begin(page);
    const steps = page.getByRole("list", { name: "Steps" });
    await page.reload();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await steps.getByRole("link", { name: /Test purchase/ }).textContent()).not.toContain(
      "done",
    );
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page.getByText("The test is over").waitFor();
    await steps.getByRole("link", { name: /done.*Test purchase/ }).waitFor();
  });

  test("its item is on sale only while the setup shows it", async () => {
    const { page } = await at.opened();
    await begin(page);
    await expect.poll(async () => (await item()).paused).toBe(false);
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    await expect.poll(async () => (await item()).paused).toBe(true);
    expect((await testAgent()).status).toBe("active");
    await page.goBack();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await expect.poll(async () => (await item()).paused).toBe(false);
    // A tab that is closed takes it off sale too.
    await page.close();
    await expect.poll(async () => (await item()).paused).toBe(true);
  });

  test("approved on another page, its agent is revoked and its item is off sale", async () => {
    const { page } = await at.opened();
    await begin(page);
    await page.getByRole("navigation", { name: "Pages" }).getByText("Reviews").click();
    await page.getByRole("heading", { name: "Reviews" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page.getByText("Approved. The payment is authorized.").waitFor();
    await expect
      .poll(async () => (await testAgent()).status, { timeout: CLEANED_MS })
      .toBe("revoked");
    expect((await item()).paused).toBe(true);
    expect(await at.at.orders(at.shop)).toHaveLength(1);
  });
});

describe.skipIf(skipChromium)("the setup of a site whose domain is not verified:", () => {
  const at = desk();

  test("its documents are not ticked, and it begins with the domain", async () => {
    const made = await at.server.admin("POST", "/v1/admin/sites", {
      domain: "new.example.com",
      name: "New",
    });
    expect(made.status).toBe(201);
    const { page } = await at.opened();
    await at.byLink(page, await at.operatorLink());
    await page.locator("main h1").waitFor();
    await page.goto(`${at.baseUrl()}/console/new.example.com/setup`);
    await page.getByRole("heading", { name: "Verify new.example.com" }).waitFor();
    const steps = page.getByRole("list", { name: "Steps" });
    expect(await steps.getByRole("link", { name: /Documents/ }).textContent()).toBe("1Documents");
  });
});
