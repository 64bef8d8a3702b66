import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

/** An agent that looks for the item. */
const SEARCH = [{ catalog: { query: "test item" } }, {}, "search_catalog"] as const;
/** The service looks for tests that are over every few seconds. */
const CLEANED_MS = 45_000;

describe.skipIf(skipChromium)("the test purchase:", () => {
  const at = desk();
  const testAgent = async () => {
    const { items } = (await at.shop.admin("GET", "/agents?q=Test%20agent")).body;
    return items[0];
  };
  const begin = async (page: Page) => {
    await at.signedIn(page, "owner", "?step=purchase");
    await page.getByRole("button", { name: "Start test purchase" }).click();
    await page.getByText("The test purchase needs review.").waitFor();
  };

  const step = (page: Page) =>
    page
      .getByRole("list", { name: "Get ready to sell" })
      .getByRole("listitem")
      .filter({ hasText: "Make a test purchase" });
  const found = async () => JSON.stringify(await at.at.call(at.shop, ...SEARCH));

  test("it is not done while it needs review, and done when it is decided", async () => {
    const { page } = await at.opened();
    await begin(page);
    await page.reload();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await step(page).getByText("(to do)").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page.getByText("The test is over").waitFor();
    await step(page).getByText("(done)").waitFor();
    await page.getByRole("heading", { name: "✓ Your shop sold to an agent" }).waitFor();
    await page.getByRole("link", { name: "Show order #1001" }).click();
    await page.getByRole("heading", { name: "Order #1001" }).waitFor();
  });

  test("declined by another person, it names them and offers no order", async () => {
    const { page } = await at.opened();
    const people = `/v1/admin/sites/${at.shop.site_key_hash}/people`;
    const rosa = await at.server.admin("POST", people, { name: "Rosa", role: "reviewer" });
    await begin(page);
    const other = await at.opened();
    await at.byLink(other.page, rosa.body.link.url);
    await other.page.waitForURL(`**/console/${at.domain}`);
    await other.page.goto(`${at.baseUrl()}/console/${at.domain}/reviews`);
    await other.page.getByRole("button", { name: "Decline" }).first().click();
    await other.page.getByRole("button", { name: "Yes, decline" }).click();
    await page.getByText("Rosa declined the test purchase.").waitFor();
    await page.getByText("The test is over").waitFor();
    expect(await page.getByRole("link", { name: /Show (the )?order/ }).count()).toBe(0);
  });

  test("its item is offered to nobody else, neither while the setup is open nor after a crash", async () => {
    const { page } = await at.opened();
    await begin(page);
    expect(await found()).not.toContain("Test item");
    const products = (await at.shop.admin("GET", "/products")).body.items;
    expect(JSON.stringify(products)).not.toContain("Test item");
    await page.close();
    expect(await found()).not.toContain("Test item");
    expect((await testAgent()).status).toBe("active");
  });

  test("decided while nobody has a console open, its agent is revoked", async () => {
    const { page } = await at.opened();
    await begin(page);
    await page.close();
    const [review] = (await at.shop.admin("GET", "/escalations?status=pending")).body.items;
    await at.shop.admin("POST", `/escalations/${review.escalation_id}/approve`, {});
    await expect
      .poll(async () => (await testAgent()).status, { timeout: CLEANED_MS })
      .toBe("revoked");
    expect(await at.at.orders(at.shop)).toHaveLength(1);
    const again = await at.opened();
    await at.signedIn(again.page);
    await step(again.page).getByText("(done)").waitFor();
    // A test order is nothing to send.
    expect(await again.page.getByText(/to send$/).count()).toBe(0);
    await again.page.getByRole("link", { name: "Orders", exact: true }).first().click();
    await again.page
      .getByRole("row", { name: /Test item/ })
      .getByText("Cancelled")
      .waitFor();
    // Its agent is listed only among the revoked ones.
    const agents = `${at.baseUrl()}/console/${at.domain}/agents`;
    await again.page.goto(`${agents}?status=revoked`);
    await again.page.getByRole("link", { name: "Test agent" }).waitFor();
    await again.page.goto(agents);
    await again.page.getByText("No agents yet").waitFor();
  });
});

describe.skipIf(skipChromium)("the setup of a site whose domain is not verified:", () => {
  const at = desk();

  test("begins with the domain, and old addresses of the setup lead there", async () => {
    const made = await at.server.admin("POST", "/v1/admin/sites", {
      domain: "new.example.com",
      name: "New",
    });
    expect(made.status).toBe(201);
    const { page } = await at.opened();
    await at.byLink(page, await at.operatorLink());
    await page.locator("main h1").waitFor();
    await page.goto(`${at.baseUrl()}/console/new.example.com/setup?step=dance`);
    await page.getByRole("link", { name: "Continue: Verify your domain" }).click();
    await page.getByRole("heading", { name: "Verify new.example.com" }).waitFor();
    const list = page.getByRole("list", { name: "Get ready to sell" });
    expect(await list.getByText("(done)").count()).toBe(0);
    await list.getByRole("link", { name: "Add your products" }).click();
    await page.getByRole("link", { name: "Open Products" }).click();
    // The way back is still there after the first product.
    await page.getByRole("link", { name: "Add a product" }).first().click();
    await page.getByLabel("Name").fill("White lily");
    await page.getByLabel("Price", { exact: true }).fill("3.20");
    await page.getByRole("button", { name: "Add product" }).click();
    await page.getByText("Product added.").waitFor();
    await page.getByRole("link", { name: "← Back to the setup" }).click();
    await list.waitFor();
  });
});
