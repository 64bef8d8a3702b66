import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("when something is wrong, the console says what:", () => {
  const at = desk();
  const refusal = (message: string) => ({
    status: 400,
    json: { error: "invalid_request", message, docs_url: "" },
  });

  test("an unknown site is named, and no other site is shown as chosen", async () => {
    const { page } = await at.opened();
    await at.signedIn(page);
    await page.goto(`${at.baseUrl()}/console/unknown.example.com/orders`);
    await page.getByText("The site unknown.example.com does not exist").waitFor();
    await page.getByRole("button", { name: "Site: Choose a site" }).waitFor();
    expect(await page.getByRole("link", { name: "Orders", exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "Show all sites" }).click();
    await page.getByRole("heading", { name: "Sites" }).waitFor();
  });

  test("an address that names an unknown step or range shows Home", async () => {
    const { page } = await at.opened();
    await at.signedIn(page);
    for (const search of ["?step=dance", "?range=forever", "?range=days&from=soon"]) {
      await page.goto(`${at.baseUrl()}/console/${at.domain}${search}`);
      await page.getByRole("button", { name: "Pause sales" }).waitFor();
    }
  });

  test("a page that cannot be drawn says so, and offers to reload", async () => {
    const { page } = await at.opened();
    await at.signedIn(page);
    // The answer of a service that this console does not know.
    await page.route("**/visits?*", (route) => route.fulfill({ json: { items: [null] } }));
    await page.getByRole("link", { name: "Visits" }).first().click();
    await page.getByRole("heading", { name: "This page could not be shown" }).waitFor();
    await page.unrouteAll();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Home" })
      .click();
    await page.getByRole("button", { name: "Pause sales" }).waitFor();
  });

  test("without a connection the page stays, says so, and continues when the connection is back", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/orders");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Agents and platforms" }).click();
    await page.getByText("No connection.").waitFor();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.context().setOffline(false);
    await page.getByText("No connection.").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Agents", exact: true }).waitFor();
  });

  test("a loaded page stays while loading it again keeps failing", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/orders");
    let failures = 0;
    const often = new Promise<void>((resolve) => {
      page.on("requestfailed", (request) => {
        if (new URL(request.url()).pathname !== "/v1/admin/sites") return;
        failures += 1;
        if (failures === 4) resolve();
      });
    });
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Visits" }).click();
    await often;
    await page.getByText("No connection.").waitFor();
    await page.getByRole("heading", { name: "Visits" }).waitFor();
    expect(await page.getByText("Gatehouse could not be reached.").count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByText("No visits yet").waitFor();
  });

  test("an action that is turned on without an address says why it is not live", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/skills");
    await page.getByLabel("Sign up", { exact: true }).check();
    await page.getByRole("button", { name: "Save actions" }).click();
    await page.getByText("Saved.").waitFor();
    const row = page.getByRole("listitem").filter({ hasText: "sign_up" });
    await row.getByText("Not live: enter an https:// address and save.").waitFor();
    await row.getByLabel(/^Address of/).fill("https://shop.example.com/join");
    await page.getByRole("button", { name: "Save actions" }).click();
    await row.getByText("Live", { exact: true }).waitFor();
    expect(await row.getByText(/^Not live/).count()).toBe(0);
  });

  test("a second error replaces the first", async () => {
    const { page } = await at.opened();
    await at.shop.admin("PUT", "/notifications", { webhook_url: "https://hooks.example.com/1" });
    await at.signedIn(page, "owner", "/settings/notifications");
    await page.route("**/notifications", (route) => route.fulfill(refusal("The first error.")));
    await page.route("**/notifications/test", (route) =>
      route.fulfill(refusal("The second error.")),
    );
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The first error.").waitFor();
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("The second error.").waitFor();
    expect(await page.getByRole("alert").allTextContents()).toEqual(["The second error."]);
  });

  test("an error in a dialog is not shown a second time below it", async () => {
    const { page } = await at.opened();
    await at.signedIn(page);
    await page.route("**/v1/**/pause", (route) => route.fulfill(refusal("It did not work.")));
    await page.getByRole("button", { name: "Pause sales" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause sales" }).click();
    await page.getByText("It did not work.").first().waitFor();
    expect(await page.getByText("It did not work.").count()).toBe(1);
  });

  test("advice of the setup shows local times and code, not ISO times and backticks", async () => {
    const { page } = await at.opened({ timezoneId: "Europe/Berlin" });
    const item = {
      item: "script",
      state: "wrong",
      found: "last visit at 2026-11-17T20:00:00.000Z",
      advice: "Run `gatehouse site show`.",
    };
    await page.route("**/install-check", (route) =>
      route.fulfill({ json: { items: [item], checked_at: "2026-11-17T20:00:00.000Z" } }),
    );
    await at.signedIn(page, "owner", "?step=install");
    const row = page.locator('[data-item="script"]');
    await row.locator("code", { hasText: "gatehouse site show" }).waitFor();
    const text = (await row.textContent()) ?? "";
    expect(text).toContain("Nov 17, 2026, 9:00 PM GMT+1");
    expect(text).not.toMatch(/`|T20:00/);
  });
});
