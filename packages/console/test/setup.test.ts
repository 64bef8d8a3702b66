import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../test/chromium.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { startMailbox } from "../../server/test/notifications/mailbox.ts";
import { JOURNEY_VIEWS, namedHost, withAuthenticator } from "./desk.ts";

/** The whole way, with what is looked for every few seconds on it. */
const LONG_MS = 180_000;
const WAIT_MS = 20_000;
/** The service ends a test some seconds after it is decided. */
const CLEANED_MS = 45_000;

/** What the whole way may cost a person. */
const CLICKS_MAX = 40;
const FIELDS_MAX = 25;

/** Counts what a person does in every page of a context. To choose from a list takes two clicks. */
const COUNTING = `
  const bump = (name, by) =>
    sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name) ?? 0) + by));
  addEventListener("click", () => bump("clicks", 1), true);
  addEventListener("change", ({ target }) => {
    if (target.matches("select")) bump("clicks", 2);
    else if (!target.matches("[type=checkbox], [type=radio]")) bump("fields", 1);
  }, true);
`;
const counted = (page: Page, name: "clicks" | "fields") =>
  page.evaluate(`Number(sessionStorage.getItem("${name}") ?? 0)`);

/** The owner's own web server: nothing is on it until they install. */
async function startSite() {
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": request.url === "/" ? "text/html" : "text/plain",
    });
    response.end(file ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { files, domain: `shop.localhost:${port}`, stop: () => server.close() };
}

describe.skipIf(skipChromium)("the setup", () => {
  let site: Awaited<ReturnType<typeof startSite>>;
  let box: Awaited<ReturnType<typeof startMailbox>>;
  let server: TestServer;
  let browser: Browser;
  beforeEach(async () => {
    site = await startSite();
    box = await startMailbox();
    const env = await freshEnvironment("sqlite");
    server = await startServer({
      ...env,
      ...(await namedHost()),
      GATEHOUSE_FETCH_ALLOW: site.domain,
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
      GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
    });
  });
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    site?.stop();
    await cleanUp();
    await box?.close();
  });
  afterAll(() => browser?.close());

  test.each(JOURNEY_VIEWS)(
    "leads through all eight steps to the first approved purchase, can be interrupted, and takes few clicks at $width pixels in $colorScheme",
    async ({ width, colorScheme }) => {
      const viewport = { width, height: 900 };
      const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true });
      await context.addInitScript(COUNTING);
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const complaints: string[] = [];
      page.setDefaultTimeout(WAIT_MS);
      page.on("console", (message) => {
        if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      const { origin } = new URL(server.context.config.baseUrl);
      const strangers: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(origin)) strangers.push(request.url());
      });
      const { body: link } = await server.admin("POST", "/v1/admin/console-links", {});
      await withAuthenticator(page);
      await page.goto(link.url);
      await page.getByLabel("Your name").fill("Fern");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByRole("button", { name: "Add a passkey" }).click();

      // Domain.
      await page.getByLabel("Domain", { exact: true }).fill(site.domain);
      await page.getByLabel("Name", { exact: true }).fill("Fern & Petal");
      await page.getByRole("button", { name: "Continue" }).click();

      // The domain: verified by itself once the file is there.
      const steps = page.getByRole("list", { name: "Get ready to sell" });
      const stepOf = (title: string) => steps.getByRole("listitem").filter({ hasText: title });
      await page.getByLabel("Method").selectOption("file");
      await page.getByText(/returned status 404/).waitFor();
      await stepOf("Verify your domain").getByText("(to do)").waitFor();
      const [found] = (await server.admin("GET", "/v1/admin/sites")).body.items;
      const path = `/v1/admin/sites/${found.site_key_hash}`;
      const { file } = found.verification;
      site.files.set(new URL(file.url).pathname, file.content);
      await page.getByText(`${site.domain} is verified.`).waitFor();
      await stepOf("Verify your domain").getByText("(done)").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);

      // The website: our own checks are no visits, and the first page with the script is one.
      await page.getByRole("link", { name: "Next: Connect your website" }).click();
      await page.locator('[data-item="script"]').getByText("Not found yet").waitFor();
      expect(await page.locator("[data-item]").count()).toBe(1);
      await stepOf("Connect your website").getByText("(to do)").waitFor();
      expect((await server.admin("GET", `${path}/visits`)).body.items).toEqual([]);
      // Left, and continued where it was: only the list, with one button.
      await page.goto(`${origin}/console`);
      await page.getByRole("link", { name: "Continue: Connect your website" }).waitFor();
      expect(await page.locator("main .button-act").count()).toBe(1);
      for (const absent of ["Needs your attention", "Time range", "Sales"]) {
        expect(await page.getByText(absent, { exact: true }).count()).toBe(0);
      }
      await page.getByRole("link", { name: "Continue: Connect your website" }).click();
      const script = await page.locator("main pre").first().textContent();
      site.files.set("/", `<!doctype html><title>Fern & Petal</title>${script}`);
      const visitor = await context.newPage();
      await visitor.goto(`http://${site.domain}/`);
      await stepOf("Connect your website").getByText("(done)").waitFor();
      await visitor.close();

      await page.getByRole("link", { name: "Next: Add your products" }).click();
      await page.getByRole("link", { name: "Open Products" }).click();
      await page.getByRole("link", { name: "Add your first product" }).click();
      await page.getByLabel("Name", { exact: true }).fill("White lily");
      await page.getByLabel("Price").fill("3,20");
      await page.getByRole("button", { name: "Add product" }).click();
      await page.getByRole("link", { name: "White lily" }).waitFor();

      await page.getByRole("link", { name: "Home" }).first().click();
      await stepOf("Set up delivery").getByRole("link").click();
      await page.getByRole("link", { name: "Open Delivery and taxes" }).click();
      await page.getByRole("button", { name: "Add a zone" }).click();
      const delivery = page.locator("section").filter({ hasText: "Zone 1" }).last();
      await delivery.getByLabel("Add a country").selectOption("Germany");
      await delivery.getByLabel("Delivery option").fill("By post");
      await delivery.getByLabel("Price").fill("4,90");
      await delivery.getByRole("button", { name: "Save" }).click();
      await page.getByText("Germany: By post for €4.90").waitFor();
      await page.getByRole("link", { name: "Back to the setup" }).click();

      await stepOf("Connect payments").getByRole("link").click();
      await page.getByRole("button", { name: "Connect the sandbox" }).click();
      await page.getByText("Sandbox is connected.").waitFor();
      expect(await page.getByText("Google Pay").count()).toBe(0);
      await stepOf("Set your rules").getByRole("link").click();
      await page.getByRole("button", { name: "Publish these rules" }).click();
      await page.getByText("Published.").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await stepOf("Set up notifications").getByRole("link").click();
      await page.getByLabel("Email addresses").fill("fern@example.com");
      await page.getByRole("button", { name: "Save" }).click();
      await stepOf("Set up notifications").getByText("Saved, but not tried yet.").waitFor();
      await page.getByRole("button", { name: "Send a test message" }).click();
      await stepOf("Set up notifications").getByText("(done)").waitFor();
      expect(box.mails).toHaveLength(1);
      await stepOf("Make a test purchase").getByRole("link").click();

      // The agent in this page buys; it lands in Reviews; it is approved.
      await page.getByRole("button", { name: "Start test purchase" }).click();
      await page.getByText("The test purchase needs review.").waitFor();
      const reviews = await context.newPage();
      await reviews.goto(`${origin}/console/${site.domain}/reviews`);
      await reviews.getByText("Test item").waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
      // As if the ten seconds were over.
      await server.context.db.run("UPDATE review_verdicts SET due_at = 0");
      server.context.jobs.wake("reviews.decide");
      await page.getByText("The test purchase is approved").waitFor();
      await reviews.getByText("Nothing to review").waitFor();

      // Receipt and proof.
      await page.getByText("The receipt is signed and verified.").waitFor();
      await page.getByRole("button", { name: "Check it in this browser" }).click();
      await page.getByText("The record is verified. Your browser checked it.").waitFor();
      await page.getByText("The test is over").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await stepOf("Make a test purchase").getByText("(done)").waitFor();
      // All steps are done. The test product is in no list.
      await page.getByText("Ready for test purchases.").waitFor();
      const { items: products } = (await server.admin("GET", `${path}/products`)).body;
      expect(products).toMatchObject([{ title: "White lily" }]);

      const { items: orders } = (await server.admin("GET", `${path}/orders`)).body;
      expect(orders).toMatchObject([{ payment: "authorized", amount: { minor: 10_000 } }]);
      await expect
        .poll(async () => (await server.admin("GET", `${path}/agents`)).body.items, {
          timeout: CLEANED_MS,
        })
        .toMatchObject([{ status: "revoked", tags: ["setup"] }]);
      expect([complaints, strangers]).toEqual([[], []]);
      expect(await counted(page, "clicks")).toBeLessThanOrEqual(CLICKS_MAX);
      expect(await counted(page, "fields")).toBeLessThanOrEqual(FIELDS_MAX);
    },
    LONG_MS,
  );
});
