import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { noteSeen } from "../../server/src/domain/platforms/store.ts";
import { newKey } from "../../server/test/agents/registering.ts";
import { CHECKOUT_POLICY } from "../../server/test/ucp/buying.ts";
import { desk, expectQuiet, shipmentsTakeEffect } from "./desk.ts";

/** What a click saves. */
async function saved(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await download.path(), "utf8");
}

describe.skipIf(skipChromium)("the pages of the console:", () => {
  const at = desk();
  const go = (page: Page, path: string) => page.goto(`${at.baseUrl()}/console/${at.domain}${path}`);

  test("the overview counts decisions and shows what needs review", async () => {
    await at.createActivity();
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page);
    await page
      .getByRole("link", { name: "1 review to decide. The first expires in 4 hours." })
      .waitFor();
    const decisions = page.locator("section", { hasText: "Decisions over time" }).last();
    await decisions.locator("figcaption").getByText("Approved 1").waitFor();
    await decisions.locator("figcaption").getByText("Needs review 1").waitFor();
    await decisions.locator("figcaption").getByText("Declined 1").waitFor();
    const sales = page.locator("section", { hasText: "Sales over time" }).last();
    await sales.getByText("€100.00").first().waitFor();
    await sales.getByRole("link", { name: "A rose" }).waitFor();
    await page.getByLabel("Time range").selectOption("24h");
    await page.waitForURL("**?range=24h");
    await decisions.locator("figcaption").getByText("Approved 1").waitFor();
    expectQuiet(opened, at.baseUrl());
  });

  test("a decision shows its rules, facts and payment, and a proof that the page verifies", async () => {
    await at.createActivity();
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "auditor", "/decisions");
    await page.getByLabel("Outcome").selectOption("approved");
    await page.waitForURL("**?outcome=approved");
    const csv = await saved(page, () => page.getByRole("button", { name: "Export CSV" }).click());
    expect(csv.trim().split("\r\n")).toHaveLength(2);
    await page.getByRole("link", { name: "Place an order €100.00" }).click();
    await page.getByText("← decided").waitFor();
    await page.getByText("Days since the agent registered").waitFor();
    // People read names. IDs and JSON are there for who looks for them.
    expect((await page.locator("main").allInnerTexts()).join()).not.toMatch(
      /place_order|dec_\w+|[{}]/,
    );
    await page.getByText("Authorized").first().waitFor();
    await page.getByRole("button", { name: "Check it in this browser" }).click();
    await page.getByText("The record is verified. Your browser checked it.").waitFor();
    const checked = page.locator("[data-check]");
    const names = await checked.evaluateAll((all) =>
      all.map((one) => one.getAttribute("data-check")),
    );
    expect(names).toEqual(["record", "hash", "signature", "inclusion", "decision"]);
    expect(
      await saved(page, () => page.getByRole("button", { name: "Save the proof" }).click()),
    ).toMatch(/^c2sp\.org\/tlog-proof@v1\n/);
    expectQuiet(opened, at.baseUrl());
  });

  test("an order is marked as shipped and gets a note, and its timeline shows both", async () => {
    await at.createActivity();
    const opened = await at.opened();
    const { page } = opened;
    await at.signedIn(page, "owner", "/orders");
    await page.getByRole("link", { name: "#1001" }).click();
    await page.getByRole("button", { name: "Mark as sent" }).click();
    await page.getByLabel("Carrier (optional)").fill("DHL");
    await page.getByRole("dialog").getByRole("button", { name: "Mark as sent" }).click();
    await page.getByText(/^Marked as sent/).waitFor();
    await shipmentsTakeEffect(at.server);
    await page.getByText("1 × A rose by DHL").waitFor();
    await page.getByLabel("Note (only visible to your team)").fill("Left at the door");
    await page.getByRole("button", { name: "Add note" }).click();
    await page.getByText("Left at the door").waitFor();
    const [order] = await at.at.orders(at.shop);
    expect(order).toMatchObject({ status: "shipped" });
    expectQuiet(opened, at.baseUrl());
  });

  test("the audit log is read in sentences, and limited to who acted and when", async () => {
    const escalation = await at.asks();
    const { body: rosa } = await at.shop.admin("POST", "/tokens", { name: "Rosa", role: "owner" });
    const path = `/v1/admin/sites/${at.shop.site_key_hash}/escalations/${escalation}/approve`;
    await at.server.admin("POST", path, {}, rosa.token);
    const opened = await at.opened({ viewport: { width: 390, height: 844 } });
    const { page } = opened;
    await at.signedIn(page, "owner", "/audit");
    const approved = page.getByRole("link", {
      name: "The token Rosa approved order #1001 in a review.",
    });
    await approved.waitFor();
    await page.getByRole("link", { name: /^The payment of €600\.00 for order #1001 is/ }).waitFor();
    await page.getByLabel("By").selectOption("The token Rosa");
    await page.waitForURL(`**/audit?actor=${rosa.token_id}`);
    await page.locator("main tbody tr").nth(1).waitFor({ state: "hidden" });
    await approved.waitFor();
    await page.getByLabel("To", { exact: true }).fill("2026-01-01");
    await page.waitForURL(`**/audit?actor=${rosa.token_id}&to=2026-01-01`);
    await page.getByText("No records found").waitFor();
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ).toBe(true);
    expectQuiet(opened, at.baseUrl());
  });

  test("visits are filtered by the query in the address", async () => {
    const { site_key } = at.shop;
    const seen = {
      schema_version: "1",
      site_key,
      observed_at: new Date().toISOString(),
      identification: { user_agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" },
      page_context: { url: `https://${at.domain}/` },
    };
    const beacon = await fetch(`${at.server.url}/v1/discovery/ingest`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(seen),
    });
    expect([beacon.status, await beacon.text()]).toEqual([204, ""]);
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", "/visits?classification=declared_agent");
    await page.getByRole("cell", { name: "GPTBot" }).waitFor();
    await page.getByLabel("Visitor").selectOption("person");
    await page.getByText("No visits found").waitFor();
  });

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

  test("products are imported, wrong lines are reported, and a product is found by search", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    const lines = ["id,title,price,currency", "fern,A fern,9.90,EUR", "moss,Some moss,cheap,EUR"];
    const file = { name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) };
    await page.getByLabel(/^File/).setInputFiles(file);
    await page.getByRole("button", { name: "Import 1 product" }).click();
    await page.getByText(/1 product saved, 1 line refused/).waitFor();
    await page.getByText("Line 3: Price is not a number such as 12.50.").waitFor();
    await page.getByRole("searchbox", { name: "Name or product number" }).fill("fern");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("cell", { name: "€9.90" }).waitFor();
    await page.locator("main tbody tr").nth(1).waitFor({ state: "hidden" });
  });

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

  test("exported files have titles, items and times that people read", async () => {
    await at.createActivity();
    const { page } = await at.opened({ timezoneId: "Asia/Tokyo" });
    await at.signedIn(page, "owner", "/orders");
    const button = page.getByRole("button", { name: "Export CSV" });
    const orders = (await saved(page, () => button.click())).split("\r\n");
    expect(orders[0]).toContain('"Number","Created at (Asia/Tokyo)","Status","Payment","Amount"');
    expect(orders[1]).toMatch(/^"1001","\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"/);
    expect(orders[1]).toContain('"1 × A rose"');
    await page.goto(`${at.baseUrl()}/console/${at.domain}/audit`);
    const records = await saved(page, () => button.click());
    expect(records).toContain('"When (Asia/Tokyo)","What happened","Type"');
    expect(records).toMatch(/"The payment of €100\.00 for order #1001 is /);
    expect(orders.join() + records).not.toMatch(/\{|T\d\d:\d\d:\d\d/);
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

  test("what only owners can do is not offered to others", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer");
    await page.keyboard.press("/");
    await page.getByRole("option", { name: "Your account" }).waitFor();
    for (const name of ["Add a product", "Invite a person", "Pause sales"]) {
      expect(await page.getByRole("option", { name }).count()).toBe(0);
    }
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

  test("on a phone, the bar at the bottom leads to the pages of every day and to all others", async () => {
    const { page } = await at.opened({ viewport: { width: 390, height: 844 } });
    await at.signedIn(page);
    await page.getByText("No real payments").waitFor();
    const bar = page.getByRole("navigation", { name: "Main pages" });
    await bar.getByRole("link", { name: "Orders", exact: true }).click();
    await page.waitForURL("**/orders");
    await bar.getByRole("button", { name: "More" }).click();
    const all = page.getByRole("dialog", { name: "All pages" });
    await all.getByRole("link", { name: "Audit log" }).click();
    await page.waitForURL("**/audit");
    await all.waitFor({ state: "detached" });
  });
});
