import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../test/chromium.ts";
import { spawnGatehouse } from "../../../test/gatehouse-process.ts";
import { cleanUp, temporaryFolder } from "../../server/test/harness.ts";
import { startMailbox } from "../../server/test/notifications/mailbox.ts";
import { namedHost, withAuthenticator } from "./desk.ts";
import * as steps from "./setup-steps.ts";

/** The whole way, with the ten seconds in which an approval can be undone. */
const LONG_MS = 180_000;
const START_MS = 30_000;

const LINK = /http\S+#set-up=\S+/;

/** `gatehouse init` with its six answers, until it prints its link. */
async function initialized(domain: string, env: Readonly<Record<string, string>>) {
  const { GATEHOUSE_BASE_URL: address = "" } = await namedHost();
  const answers = ["--domain", domain, "--name", "Fern & Petal", "--address", address];
  const rules = ["--limit", "ask", "--timezone", "Europe/Berlin", "--sandbox"];
  const args = ["init", ...answers, ...rules, "--no-open"];
  const { child, seen } = spawnGatehouse(args, env, temporaryFolder());
  onTestFinished(() => void child.kill("SIGKILL"));
  await expect.poll(() => seen.out, { timeout: START_MS }).toMatch(LINK);
  return { origin: address, link: LINK.exec(seen.out)?.[0] ?? "" };
}

describe.skipIf(skipChromium)("the link of `gatehouse init`", () => {
  afterAll(cleanUp);

  test(
    "reaches the first approved purchase in a few clicks, and skips what init has done",
    async () => {
      const site = await steps.startSite();
      onTestFinished(() => void site.stop());
      const box = await startMailbox();
      onTestFinished(() => box.close());
      const { origin, link } = await initialized(site.domain, {
        GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${box.port}`,
        GATEHOUSE_MAIL_FROM: "Gatehouse <gate@example.com>",
      });
      const browser = await launchChromium();
      onTestFinished(() => browser.close());
      const context = await browser.newContext();
      const { page, expectQuietAndShort } = await steps.countingPage(context, origin);
      await withAuthenticator(page);
      await steps.createAccount(page, link);
      await page.getByRole("link", { name: "Continue: Connect your website" }).waitFor();
      const confirmed = "Confirmed by the operator, not checked.";
      await steps.stepOf(page, "Verify your domain").getByText(confirmed).waitFor();
      for (const done of ["Connect payments", "Set your rules"]) {
        await steps.stepOf(page, done).getByText("(done)").waitFor();
      }
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await page.getByRole("link", { name: "Continue: Connect your website" }).click();
      await steps.connectWebsite(page, site);
      await steps.addProduct(page);
      await steps.setUpDelivery(page);
      await steps.setUpNotifications(page);
      await steps.startTestPurchase(page);
      await steps.approve(page);
      await steps.checkTestPurchase(page);
      // The test message, the review and the order.
      await expect.poll(() => box.mails.length, { timeout: START_MS }).toBe(3);
      await page.getByText("Ready for test purchases.").waitFor();
      // The documents that the site does not serve are one row, with a link to the guide.
      await page.goto(`${origin}/console/${site.domain}/agents-see`);
      const website = page.locator("section").filter({ hasText: "On your website" }).last();
      await website.getByText("not served (status 404)").waitFor();
      await website.getByText("9 documents").click();
      await website.getByText("/.well-known/ucp", { exact: true }).waitFor();
      expect(
        await website.getByText(/not served|Serve the documents/).allInnerTexts(),
      ).toHaveLength(2);
      const guide = website.getByRole("link", { name: "/docs/guide/install.md" });
      expect(await guide.getAttribute("href")).toBe(`${origin}/docs/guide/install.md`);
      expectQuietAndShort({ clicks: 22, fields: 6 });
      // Last, because axe asks the frame of the public page, which does not answer.
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    },
    LONG_MS,
  );
});
