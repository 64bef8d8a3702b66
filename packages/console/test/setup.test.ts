import type { Browser } from "playwright-core";
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
import * as steps from "./setup-steps.ts";
import { type OwnSite, startSite, stepOf } from "./setup-steps.ts";

/** The whole way, with what is looked for every few seconds on it. */
const LONG_MS = 180_000;
/** The service ends a test some seconds after it is decided. */
const CLEANED_MS = 45_000;

describe.skipIf(skipChromium)("the setup", () => {
  let site: OwnSite;
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
      const context = await browser.newContext({ viewport, colorScheme });
      onTestFinished(() => context.close());
      const { origin } = new URL(server.context.config.baseUrl);
      const { page, expectQuietAndShort } = await steps.countingPage(context, origin);
      const { body: link } = await server.admin("POST", "/v1/admin/console-links", {});
      await withAuthenticator(page);
      await steps.createAccount(page, link.url);

      // Domain.
      await page.getByLabel("Domain", { exact: true }).fill(site.domain);
      await page.getByLabel("Name", { exact: true }).fill("Fern & Petal");
      await page.getByRole("button", { name: "Continue" }).click();

      // The domain: verified by itself once the file is there.
      await page.getByLabel("Method").selectOption("file");
      await page.getByText(/returned status 404/).waitFor();
      await stepOf(page, "Verify your domain").getByText("(to do)").waitFor();
      const [found] = (await server.admin("GET", "/v1/admin/sites")).body.items;
      const path = `/v1/admin/sites/${found.site_key_hash}`;
      const { file } = found.verification;
      site.files.set(new URL(file.url).pathname, file.content);
      await page.getByText(`${site.domain} is verified.`).waitFor();
      await stepOf(page, "Verify your domain").getByText("(done)").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);

      // The website: our own checks are no visits, and the first page with the script is one.
      await page.getByRole("link", { name: "Next: Connect your website" }).click();
      await page.locator('[data-item="script"]').getByText("Not found yet").waitFor();
      expect(await page.locator("[data-item]").count()).toBe(1);
      await stepOf(page, "Connect your website").getByText("(to do)").waitFor();
      expect((await server.admin("GET", `${path}/visits`)).body.items).toEqual([]);
      // Left, and continued where it was: only the list, with one button.
      await page.goto(`${origin}/console`);
      await page.getByRole("link", { name: "Continue: Connect your website" }).waitFor();
      expect(await page.locator("main .button-act").count()).toBe(1);
      for (const absent of ["Needs your attention", "Time range", "Sales"]) {
        expect(await page.getByText(absent, { exact: true }).count()).toBe(0);
      }
      await page.getByRole("link", { name: "Continue: Connect your website" }).click();
      await steps.connectWebsite(page, site);
      await steps.addProduct(page);
      await steps.setUpDelivery(page);

      await stepOf(page, "Connect payments").getByRole("link").click();
      await page.getByRole("button", { name: "Connect the sandbox" }).click();
      await page.getByText("Sandbox is connected.").waitFor();
      expect(await page.getByText("Google Pay").count()).toBe(0);
      await stepOf(page, "Set your rules").getByRole("link").click();
      await page.getByRole("button", { name: "Publish these rules" }).click();
      await page.getByText("Published.").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await steps.setUpNotifications(page);
      expect(box.mails).toHaveLength(1);

      // It lands in Reviews, and is approved.
      await steps.startTestPurchase(page);
      const reviews = await context.newPage();
      await reviews.goto(`${origin}/console/${site.domain}/reviews`);
      await reviews.getByText("Test item").waitFor();
      await page.reload();
      await steps.approve(page);
      // As if the ten seconds were over.
      await server.context.db.run("UPDATE review_verdicts SET due_at = 0");
      server.context.jobs.wake("reviews.decide");
      await reviews.getByText("Nothing to review").waitFor();
      await steps.checkTestPurchase(page);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await stepOf(page, "Make a test purchase").getByText("(done)").waitFor();
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
      expectQuietAndShort({ clicks: 30, fields: 8 });
    },
    LONG_MS,
  );
});
