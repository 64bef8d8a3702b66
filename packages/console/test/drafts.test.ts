import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...window.sessionStorage }));
/** What was typed is kept as soon as the form was drawn with it. */
const whenKept = (page: Page, text: string) =>
  page.waitForFunction((one) => JSON.stringify({ ...window.sessionStorage }).includes(one), text);

describe.skipIf(skipChromium)("what was typed and not saved", () => {
  const at = desk();

  test.each([
    ["/settings/people", "Name", "Rosa"],
    ["/settings/tokens", "Name", "Warehouse script"],
    ["/settings/site", "Description", "Flowers from the valley"],
    ["/products/new", "Name", "White lily"],
    ["/delivery", "Your terms", "No returns of cut flowers"],
  ])("at %s is there after a reload, until it is saved or given up", async (path, label, text) => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", path);
    const field = page.getByLabel(label, { exact: true }).first();
    await field.fill(text);
    await whenKept(page, text);
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe(text);
    await page.getByRole("link", { name: "Orders", exact: true }).click();
    await page.getByRole("button", { name: "Leave without saving" }).click();
    await page.waitForURL("**/orders");
    expect(await kept(page)).not.toContain(text);
  });

  test("is there after a sign-out, for the same person only", async () => {
    const { page } = await at.opened();
    const [olga, otto] = [await at.tokenOf("owner"), await at.tokenOf("owner")];
    const signIn = async (token: string) => {
      await page.getByText("For programs").click();
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByLabel("Email", { exact: true }).waitFor();
    };
    const name = page.getByLabel("Name", { exact: true });
    await page.goto(`${at.baseUrl()}/console/${at.domain}/settings/people`);
    await signIn(olga);
    await name.fill("Rosa");
    await whenKept(page, "Rosa");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(olga);
    expect(await name.inputValue()).toBe("Rosa");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(otto);
    expect(await name.inputValue()).toBe("");
    expect(await kept(page)).not.toContain("Rosa");
  });

  test("is forgotten when it is saved, and secrets are never kept", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/settings/people");
    await page.getByLabel("Name", { exact: true }).fill("Rosa");
    await whenKept(page, "Rosa");
    await page.getByRole("button", { name: "Send invite" }).click();
    await page.getByText("Send this link to Rosa.").waitFor();
    expect(await kept(page)).not.toContain("Rosa");
    await page.goto(`${at.baseUrl()}/console/${at.domain}/settings/payments`);
    await page.getByLabel("Payment provider").selectOption("stripe");
    await page.getByLabel(/^Restricted key/).fill("rk_test_nobody");
    await whenKept(page, '\\"kind\\":\\"stripe\\"');
    await page.getByLabel("This provider pays out to me").check();
    await whenKept(page, '\\"settles\\":true');
    expect(await kept(page)).not.toContain("rk_test");
    await page.reload();
    await page.getByLabel(/^Restricted key/).waitFor();
    expect(await page.getByLabel(/^Restricted key/).inputValue()).toBe("");
  });
});
