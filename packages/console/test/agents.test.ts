import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { noteSeen } from "../../server/src/domain/platforms/store.ts";
import { newKey } from "../../server/test/agents/registering.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("agents and platforms at the console:", () => {
  const at = desk();
  const go = (page: Page, path: string) => page.goto(`${at.baseUrl()}/console/${at.domain}${path}`);

  test("a registered agent is suspended, restored with undo, found by its name, and revoked", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/agents");
    await page.getByRole("button", { name: "Add an agent" }).click();
    const { jwk } = await newKey();
    await page.getByLabel("Name", { exact: true }).fill("Ada's helper");
    await page.getByLabel(/Public key/).fill(JSON.stringify(jwk));
    await page.getByRole("button", { name: "Add agent" }).click();
    await page.getByRole("heading", { name: "Ada's helper" }).waitFor();
    await page.getByLabel("Tags").fill("trusted");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("button", { name: "Suspend" }).click();
    await page.locator("dd").getByText("Suspended").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("dd").getByText("Active").waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.locator("dd").getByText("Revoked").first().waitFor();
    await go(page, "/agents");
    await page.getByRole("searchbox", { name: "Name or ID" }).fill("ada'S");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Ada's helper" }).waitFor();
    const { items } = (await at.shop.admin("GET", "/agents")).body;
    expect(items).toMatchObject([{ status: "revoked", tags: ["trusted"] }]);
  });

  test("a platform is admitted with one click, suspended with another, and both can be undone", async () => {
    const url = "https://agents.platform.example/profile";
    const { clock, db } = at.server.context;
    await db.transaction((tx) => noteSeen(tx, at.shop.site_key_hash, url, clock.now()));
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/platforms");
    const row = page.getByRole("row", { name: /platform\.example/ });
    await row.getByText("Not decided", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Admit" }).click();
    await row.getByText("Admitted", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Suspend" }).click();
    await row.getByText("Suspended", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await row.getByText("Admitted", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Suspend" }).click();
    await row.getByText("Suspended", { exact: true }).waitFor();
    await page.getByLabel("Platforms that can pay here").selectOption("admitted");
    await page.getByText("Saved.").waitFor();
    await page.getByRole("button", { name: "Admit a platform" }).click();
    await page.getByLabel("Domain", { exact: true }).fill("known.example");
    await page.getByRole("button", { name: "Admit platform" }).click();
    await page.getByRole("row", { name: /known\.example/ }).waitFor();
    const { items } = (await at.shop.admin("GET", "/platforms")).body;
    expect(
      items.map(({ platform, status }: Record<string, string>) => `${platform} ${status}`).sort(),
    ).toEqual(["known.example admitted", "platform.example suspended"]);
    const settings = (await at.shop.admin("GET", "/platform-settings")).body;
    expect(settings).toMatchObject({ platforms: "admitted", chosen: true });
  });
});
