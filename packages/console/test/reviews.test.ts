import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../test/chromium.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import type { Shop } from "../../server/test/mandates/submitting.ts";
import { selling } from "../../server/test/selling/selling.ts";

const assets = fileURLToPath(new URL("../../server/assets/console/assets/", import.meta.url));

test("its first load is at most 250 KB of script, zipped", () => {
  const scripts = readdirSync(assets).filter((name) => name.endsWith(".js"));
  const bytes = scripts.reduce(
    (sum, name) => sum + gzipSync(readFileSync(assets + name)).length,
    0,
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(250 * 1024);
});

describe.skipIf(skipChromium)("the console in a browser", () => {
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let domain: string;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment("sqlite"));
    at = selling(server);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await cleanUp();
  });
  beforeEach(async () => {
    shop = await at.shop();
    domain = (await shop.admin("GET", "")).body.domain;
  });

  /** A browser of its own, which tells what it complains of and whom it asks. */
  async function opened(options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const complaints: string[] = [];
    const asked = new Set<string>();
    const page = await context.newPage();
    // What is refused is said by the page itself; a browser logs it besides.
    page.on("console", (message) => {
      if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    return { context, page, complaints, asked };
  }
  const link = async (token?: string) =>
    (await server.admin("POST", "/v1/admin/console-links", {}, token)).body.url as string;
  const tokenOf = async (role: string) => {
    const sites = [shop.site_key_hash];
    return (await server.admin("POST", "/v1/admin/tokens", { name: role, role, sites })).body.token;
  };
  /** Signs in as somebody of this shop alone, and is at its reviews. */
  async function signedIn(page: Page, role = "reviewer") {
    await page.goto(await link(await tokenOf(role)));
    await page.waitForURL(`**/console/${domain}/reviews`);
  }
  /** Somebody asks for something that a person has to decide. */
  async function asked(name = "A palm") {
    await at.importLines(shop, [{ id: "palm", title: name, price: "600.00", currency: "EUR" }]);
    const buyer = await at.buyer(shop);
    const items = [{ id: "palm", quantity: 1 }];
    const answer = await at.order(shop, buyer, { items, total: "600.00" });
    expect(answer.body.outcome).toBe("escalated");
    return answer.body.escalation_id as string;
  }

  test("a link from the terminal signs in, once, and leaves no trace in the address", async () => {
    const { page, complaints, asked: origins } = await opened();
    const url = await link(await tokenOf("owner"));
    await page.goto(url);
    await page.waitForURL(`**/console/${domain}/reviews`);
    expect(await page.locator("h1").textContent()).toBe("Reviews");
    expect(await page.evaluate("document.cookie")).toBe("");
    expect([complaints, [...origins]]).toEqual([[], [new URL(server.url).origin]]);
    const other = await opened();
    await other.page.goto(url);
    await other.page.getByRole("alert").waitFor();
    expect(await other.page.getByRole("alert").textContent()).toContain("was used");
    expect(new URL(other.page.url()).hash).toBe("");
  });

  test("a token signs in; a wrong one is told so; signing out ends it", async () => {
    const { page } = await opened();
    await page.goto(`${server.url}/console`);
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill(await tokenOf("reviewer"));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`**/console/${domain}/reviews`);
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    await page.reload();
    await page.getByLabel("Token").waitFor();
  });

  test("what waits for a person is decided in one tab, and is gone from another", async () => {
    const id = await asked();
    const [one, two] = [await opened(), await opened()];
    await signedIn(one.page);
    await signedIn(two.page);
    for (const { page } of [one, two]) {
      await page.getByText(id).waitFor();
      expect(await page.locator("article").textContent()).toMatch(/600\.00 EUR.*1 × A palm/);
    }
    await one.page.getByRole("button", { name: "Approve" }).click();
    await one.page.getByRole("button", { name: "Not now" }).click();
    await one.page.getByRole("button", { name: "Approve" }).click();
    await one.page.getByRole("button", { name: "Yes, approve" }).click();
    await one.page.getByText("Approved, and paid.").waitFor();
    await two.page.getByText("Nothing waits for you.").waitFor();
    expect(await at.orders(shop)).toHaveLength(1);
    expect([one.complaints, two.complaints]).toEqual([[], []]);
  });

  test("denied with a reason and a note, which the log and nobody else gets", async () => {
    const id = await asked();
    const { page } = await opened();
    await signedIn(page);
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByLabel("Why").selectOption("suspected_fraud");
    await page.getByLabel(/A note/).fill("Looks odd");
    await page.getByRole("button", { name: "Yes, deny" }).click();
    await page.getByText("Denied.").waitFor();
    const { body } = await shop.admin("GET", `/escalations/${id}`);
    expect(body).toMatchObject({
      status: "denied",
      reason_code: "suspected_fraud",
      note: "Looks odd",
    });
  });

  test("an auditor looks and decides nothing", async () => {
    const id = await asked();
    const { page } = await opened();
    await signedIn(page, "auditor");
    await page.getByText(id).waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  test("hostile words stay words", async () => {
    const name = '<img src=x onerror="document.title=1"> <script>alert(1)</script>';
    await asked(name);
    const { page, complaints } = await opened();
    await signedIn(page);
    await page.getByText("onerror").waitFor();
    expect(await page.locator("article img, article script").count()).toBe(0);
    expect([await page.title(), complaints]).toEqual(["Gatehouse", []]);
  });

  test("its policy lets in nothing but its own files", async () => {
    const { headers } = await fetch(`${server.url}/console/anything/reviews`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const missing = await fetch(`${server.url}/console/assets/nothing.js`);
    expect(missing.status).toBe(404);
  });

  test.each(VIEWS)("is accessible in $colorScheme at $width pixels", async (view) => {
    await asked();
    const { page } = await opened(viewOptions(view));
    await page.goto(`${server.url}/console`);
    await page.getByLabel("Token").waitFor();
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    await signedIn(page);
    await page.getByRole("button", { name: "Deny" }).click();
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
  });
});
