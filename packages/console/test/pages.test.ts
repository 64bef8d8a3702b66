import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk, expectQuiet, shipmentsTakeEffect } from "./desk.ts";

/** What a click saves. */
async function saved(page: Page, click: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFileSync(await download.path(), "utf8");
}

describe.skipIf(skipChromium)("the pages of the console:", () => {
  const at = desk();

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

  test("products are imported, wrong lines are reported, and a product is found by search", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "/products");
    const lines = ["id,title,price,currency", "fern,A fern,9.90,EUR", "moss,Some moss,cheap,EUR"];
    const file = { name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) };
    await page.getByLabel(/^File/).setInputFiles(file);
    await page.getByRole("button", { name: "Import 1 product" }).click();
    await page.getByText(/1 product saved, 1 line refused/).waitFor();
    await page.getByText("Line 3: Price is not a number such as 12.50.").waitFor();
    await page.getByRole("searchbox", { name: "Name, product number or SKU" }).fill("fern");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("cell", { name: "€9.90" }).waitFor();
    await page.locator("main tbody tr").nth(1).waitFor({ state: "hidden" });
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

  test("what only owners can do is not offered to others", async () => {
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer");
    await page.keyboard.press("/");
    await page.getByRole("option", { name: "Your account" }).waitFor();
    for (const name of ["Add a product", "Invite a person", "Pause sales"]) {
      expect(await page.getByRole("option", { name }).count()).toBe(0);
    }
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
