import { MARK_PATH } from "@gatehouse/protocol";
import { afterAll, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { CLIENT_SECRET, startProvider } from "../../server/test/people/oidc-provider.ts";
import { desk, namedHost } from "./desk.ts";

const ACCOUNTS = {
  ada: { email: "ada@example.com", email_verified: true },
  eve: { email: "eve@example.com", email_verified: true },
};

/** Within this, a page that was signed out of has deleted what it had loaded. */
const SETTLED_MS = 500;

describe.skipIf(skipChromium)("with the sign-in service of the company,", () => {
  let stop = () => {};
  afterAll(() => stop());
  const at = desk({
    env: async () => {
      const host = await namedHost();
      const callback = `${host.GATEHOUSE_BASE_URL}/v1/console/oidc/callback`;
      const provider = await startProvider(callback, ACCOUNTS);
      stop = provider.stop;
      return {
        ...host,
        GATEHOUSE_SMTP_URL: "smtp://127.0.0.1:9",
        GATEHOUSE_MAIL_FROM: "gate@example.com",
        GATEHOUSE_OIDC_ISSUER: provider.issuer,
        GATEHOUSE_OIDC_CLIENT_ID: "gatehouse",
        GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
        GATEHOUSE_OIDC_NAME: "Example SSO",
      };
    },
  });

  /** Goes to the service and signs in there as somebody. */
  async function signIn(login: string) {
    const { page } = await at.opened();
    await page.goto(`${at.baseUrl()}/console`);
    await page.getByRole("link", { name: "Sign in with Example SSO" }).click();
    await page.locator("input[name=login]").fill(login);
    await page.locator("input[name=password]").fill("x");
    await page.locator("button[type=submit]").click();
    await page.getByText("Continue").click();
    return page;
  }

  test.each([
    [390, "dark"],
    [1440, "light"],
  ] as const)(
    "at %i pixels, %s, the page names no shop and offers a passkey first, then the others",
    async (width, colorScheme) => {
      const { page } = await at.opened({ viewport: { width, height: 844 }, colorScheme });
      await page.goto(`${at.baseUrl()}/console`);
      await page.getByRole("link", { name: "Sign in with Example SSO" }).waitFor();
      const offered = await page.locator("main :is(button, a, summary):visible").allInnerTexts();
      expect(offered.map((text) => text.trim())).toEqual([
        "Sign in with a passkey",
        "Email me a link",
        "Sign in with Example SSO",
        "For programs",
      ]);
      const filled = await page.locator("main .bg-act, main .button-act").allInnerTexts();
      expect(filled).toEqual(["Sign in with a passkey"]);
      expect(await page.locator("main svg path").first().getAttribute("d")).toBe(MARK_PATH);
      expect(await page.locator("body").textContent()).not.toContain(at.domain);
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(width);
    },
  );

  test("somebody who was invited signs in, and somebody else is told what to do", async () => {
    const people = `/v1/admin/sites/${at.shop.site_key_hash}/people`;
    const ada = { name: "Ada", role: "reviewer", email: "ada@example.com" };
    await at.server.admin("POST", people, ada);
    const page = await signIn("ada");
    await page.getByText("Signed in as Ada").waitFor();
    await page.waitForURL(`**/console/${at.domain}`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in with Example SSO" }).waitFor();
    // What was loaded before is deleted a moment later, and this must stay.
    await page.waitForTimeout(SETTLED_MS);
    expect(await page.getByRole("link", { name: "Sign in with Example SSO" }).count()).toBe(1);
    expect(await page.getByRole("button", { name: "Email me a link" }).count()).toBe(1);
    const stranger = await signIn("eve");
    await stranger.getByText("There is no invitation for this email address.").waitFor();
  });
});
