import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { CHECKOUT_POLICY } from "../../server/test/ucp/buying.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("the search of the console:", () => {
  const at = desk();

  test("the search, opened with Ctrl-K, finds what an id names, products and pages", async () => {
    const buyer = await at.createActivity();
    const { page } = await at.opened();
    await at.signedIn(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find anything" }).fill(buyer.agentId);
    await page.getByRole("option", { name: `Open ${buyer.agentId}` }).waitFor();
    await page.getByRole("combobox", { name: "Find anything" }).press("Enter");
    await page.waitForURL(`**/agents/${buyer.agentId}`);
    await page.getByRole("heading", { name: "Buyer" }).waitFor();
    await page.getByRole("button", { name: "Find anything" }).click();
    await page.getByRole("combobox", { name: "Find anything" }).fill("palm");
    await page.getByRole("option", { name: /^A palm/ }).click();
    await page.waitForURL("**/products/palm");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find anything" }).fill("notif");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/settings/notifications");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find anything" }).fill("refund");
    await page.getByRole("option", { name: "Refund an order" }).click();
    await page.waitForURL("**/orders?payment=captured");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find anything" }).fill("account");
    await page.getByRole("option", { name: "Your account" }).click();
    await page.getByRole("link", { name: "Back to Home" }).click();
    await page.waitForURL(`**/console/${at.domain}`);
  });

  test("the search finds buyers, questions, rules and people by words, and no address names a buyer", async () => {
    await at.shop.admin("PUT", "/policy", CHECKOUT_POLICY);
    await at.askQuestion("Do you deliver to Malta?");
    await at.server.admin("POST", "/v1/admin/people", {
      ...{ name: "Rosa Ling", sites: [at.shop.site_key_hash], role: "reviewer" },
    });
    const { page } = await at.opened();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    // A buyer comes with a checkout, which other tests make.
    await at.createActivity();
    const [order] = await at.at.orders(at.shop);
    await page.route("**/orders/search", (route) =>
      route.fulfill({ json: { items: [{ ...order, buyer_name: "Ada Love" }] } }),
    );
    await at.signedIn(page);
    const field = page.getByRole("combobox", { name: "Find anything" });
    const finds = async (words: string, option: RegExp) => {
      await page.keyboard.press("Control+k");
      await field.fill(words);
      await page.getByRole("option", { name: option }).click();
    };
    await finds("love", /^Ada Love.*#1001/);
    await page.getByRole("heading", { name: "Order #1001" }).waitFor();
    await finds("malta", /Do you deliver to Malta/);
    await page.waitForURL("**/questions/*");
    await finds("rosa", /^Rosa Ling/);
    await page.waitForURL("**/settings/people");
    const { document } = (await at.shop.admin("GET", "/policy")).body;
    const title = String(document.rules[0].title ?? document.rules[0].id);
    await finds(title, new RegExp(`^${title}`));
    await page.waitForURL("**/policy");
    expect(asked.filter((url) => /love/i.test(url))).toEqual([]);
  });

  test("the search opens with / too, finds orders by number, settings, and things to do", async () => {
    await at.createActivity();
    const { page } = await at.opened();
    await at.signedIn(page);
    const field = page.getByRole("combobox", { name: "Find anything" });
    const choose = async (words: string, option: string | RegExp) => {
      await page.keyboard.press("/");
      await field.fill(words);
      await page.getByRole("option", { name: option }).click();
    };
    await choose("#1001", /^Order #1001.*€100\.00/);
    await page.getByRole("heading", { name: "Order #1001" }).waitFor();
    await choose("add a", "Add a product");
    await page.waitForURL("**/products/new");
    // In a field / is a letter.
    await page.getByLabel("Name").press("/");
    expect(await page.getByLabel("Name").inputValue()).toBe("/");
    await page.getByLabel("Name").fill("");
    await page.locator("main").focus();
    await choose("invite", "Invite a person");
    await page.waitForURL("**/settings/people");
    await choose("erase", /^Buyers' data/);
    await page.waitForURL("**/settings/buyers");
    await choose("pause the shop", "Pause sales");
    await page.getByRole("dialog").getByRole("button", { name: "Pause sales" }).click();
    await page.getByText("Sales are paused").waitFor();
    await choose("resume", "Resume sales");
    await page.getByText("Sales are paused").waitFor({ state: "detached" });
  });

  test("? shows what the keyboard can do", async () => {
    const { page } = await at.opened();
    await at.signedIn(page);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    await help.getByRole("region", { name: "Reviews" }).getByText("approve").waitFor();
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
  });
});
