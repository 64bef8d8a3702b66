import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { OPERATOR_TOKEN } from "../../server/test/harness.ts";
import { send } from "../../server/test/http-client.ts";
import { desk } from "./desk.ts";

describe.skipIf(skipChromium)("the console does not mix things up:", () => {
  const at = desk();
  const find = async (page: Page, id: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find anything" }).fill(id);
    await page.getByRole("option", { name: `Open ${id}` }).waitFor();
    await page.getByRole("combobox", { name: "Find anything" }).press("Enter");
    await page.waitForURL(`**/${id}`);
    // Some pages show it only among their details.
    await page.getByText(id).first().waitFor({ state: "attached" });
  };
  const decisionOf = async (order: { body: { record_id?: string } }) => {
    const { items } = (await at.shop.admin("GET", "/decisions")).body;
    return items.find((one: { record_id: string }) => one.record_id === order.body.record_id);
  };

  test("text typed for one agent is not saved to another", async () => {
    const trusted = await at.at.buyer(at.shop, { name: "Good", tags: ["trusted"] });
    const stranger = await at.at.buyer(at.shop, { name: "Stranger" });
    const { page } = await at.opened();
    await at.signedIn(page, "owner", `/agents/${stranger.agentId}`);
    await find(page, trusted.agentId);
    expect(await page.getByLabel("Tags").inputValue()).toBe("trusted");
    await page.goBack();
    await page.getByRole("heading", { name: "Stranger" }).waitFor();
    expect(await page.getByLabel("Tags").inputValue()).toBe("");
  });

  test("the result of one review is not shown for another, nor is a proof for another record", async () => {
    const [one, two] = [await at.asks(), await at.asks()];
    const { page } = await at.opened();
    await at.signedIn(page, "reviewer", `/reviews/${two}`);
    await find(page, one);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: "Approved. The payment is authorized." })
      .waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await page.getByText("Approved. The payment is authorized.").count()).toBe(0);

    const buyer = await at.at.buyer(at.shop);
    const first = await decisionOf(await at.at.order(at.shop, buyer));
    const second = await decisionOf(await at.at.order(at.shop, buyer));
    await find(page, first.decision_id);
    await find(page, second.decision_id);
    await page.getByRole("button", { name: "Check it in this browser" }).click();
    await page.getByText("The record is verified").waitFor();
    await page.goBack();
    await page.waitForURL(`**/${first.decision_id}`);
    await page.getByRole("button", { name: "Check it in this browser" }).waitFor();
    expect(await page.getByText("The record is verified").count()).toBe(0);
  });

  test("a valid record of something else is not accepted as a proof", async () => {
    const buyer = await at.at.buyer(at.shop);
    const shown = await decisionOf(await at.at.order(at.shop, buyer));
    const dear = { items: [{ id: "rose", quantity: 2 }], total: "200.00" };
    const other = await decisionOf(await at.at.order(at.shop, buyer, dear));
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", `/decisions/${shown.decision_id}`);
    const { body } = await at.shop.admin("GET", `/audit/records/${other.record_id}`);
    await page.route("**/audit/records/*", (route) => route.fulfill({ json: body }));
    await page.getByRole("button", { name: "Check it in this browser" }).click();
    await page.getByText("The record could not be verified.").waitFor();
    const wrong = await page.locator("[data-check].text-bad").allTextContents();
    expect(wrong.join()).toContain("this is a different record");
    expect(wrong.join()).toContain("the record belongs to a different decision");
  });

  test("an export of another site does not verify here, and is named", async () => {
    const other = await at.at.shop();
    const { domain } = (await other.admin("GET", "")).body;
    const day = new Date().toISOString().slice(0, 10);
    const path = `/v1/admin/sites/${other.site_key_hash}/audit/exports?day=${day}`;
    const { body } = await at.server.admin("GET", path);
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", "/audit");
    await page.getByText("Verify and export the log").click();
    await page.getByLabel(/Parts of an export/).setInputFiles({
      name: "mine.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(body)),
    });
    await page.getByRole("button", { name: "Verify these files" }).click();
    await page.getByText("The export could not be verified.").waitFor();
    await page.getByText(`another site: ${domain}/audit/1`).waitFor();
  });

  test("a changed answer is not covered by its receipt, nor another site's card by its signature", async () => {
    const { page } = await at.opened();
    const other = await at.at.shop();
    await at.signedIn(page, "owner", "?step=purchase");
    await page.route("**/mandate", async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, outcome: "approved" } });
    });
    await page.getByRole("button", { name: "Start test purchase" }).click();
    await page.getByText("The receipt could not be verified.").waitFor();
    for (const kind of ["agent-card", "catalog"]) {
      const theirs = await (
        await fetch(`${at.server.url}/v1/${kind}/${other.site_key}.json`)
      ).text();
      await page.route(`**/v1/${kind}/*.json`, (route) => route.fulfill({ body: theirs }));
    }
    await page.goto(`${at.baseUrl()}/console/${at.domain}/agents-see`);
    for (const name of ["card", "catalog"]) {
      await page.locator(`[data-document=${name}]`).getByText("Problem").waitFor();
      await page
        .locator(`[data-document=${name}]`)
        .getByText("belongs to another site")
        .first()
        .waitFor();
    }
  });

  test("a file for spreadsheets contains no formulas, with any separator", async () => {
    const names = ["=1+1", " =2+2", "a;=3+3", "\u200e=4+4", "-5"];
    const titles = names.map((title, n) => ({ id: `p${n}`, title, price: "1", currency: "EUR" }));
    await at.at.importLines(at.shop, titles);
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", "/products");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    const cells = readFileSync(await download.path(), "utf8").split(/[,;\r\n]+/);
    const formulas = cells.filter((cell) => /^"?[\s\u200e]*[=+\-@]/.test(cell));
    expect(cells.length).toBeGreaterThan(names.length);
    expect(formulas).toEqual([]);
  });

  test("an exported file of products changes nothing when it is imported again", async () => {
    const tee = {
      id: "tee",
      title: "Tee",
      price: "20.00",
      currency: "EUR",
      sale_price: "15.00",
      sale_until: "2100-01-01T00:00:00Z",
      brand: "Rosa",
      sku: "SHELF-1",
      identifier_exists: false,
      additional_image_urls: ["https://a.example.com/1,2", "https://a.example.com/3"],
      item_group_id: "tees",
      options: { shoe_size: "42", Color: "Red" },
    };
    await at.at.importLines(at.shop, [tee]);
    const { page } = await at.opened();
    await at.signedIn(page, "auditor", "/products");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    const path = `/v1/admin/sites/${at.shop.site_key_hash}/products/import/check?mode=replace`;
    const { body } = await send(at.server.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "text/csv" },
      body: readFileSync(await download.path(), "utf8"),
    });
    expect(body).toMatchObject({ changed: 0, added: 0, removed: 0, refused: 0, changes: [] });
    expect(body.unchanged).toBeGreaterThan(5);
  });

  test("the test agent keeps a shop's own text for its skill, and offers its test item to nobody else", async () => {
    const skills = [
      { id: "place_order", enabled: false, title: "Buy flowers", description: "Ours." },
      { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
    ];
    await at.shop.admin("PUT", "/skills", { skills });
    const { page } = await at.opened();
    await at.signedIn(page, "owner", "?step=purchase");
    await page.getByRole("button", { name: "Start test purchase" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Yes, approve" }).click();
    await page.getByText("The test is over").waitFor();
    const kept = (await at.shop.admin("GET", "/skills")).body.skills;
    expect(kept).toEqual([{ ...skills[0], enabled: true }, skills[1]]);
    const { items } = (await at.shop.admin("GET", "/products")).body;
    expect(JSON.stringify(items)).not.toContain("Test item");
  });
});
