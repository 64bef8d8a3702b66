import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { STEPS } from "../src/setup/steps.ts";
import { desk } from "./desk.ts";

/** Some thirty pages are looked at one after another. */
const LONG_MS = 120_000;

describe.skipIf(skipChromium)("the console:", () => {
  const at = desk();
  const SETTINGS = ["site", "skills", "payments", "notifications", "buyers", "tokens", "keys"];

  /** Every page, by its path below the console. */
  async function everyPage(): Promise<readonly string[]> {
    const buyer = await at.createActivity();
    const [order] = await at.at.orders(at.shop);
    const [review] = (await at.shop.admin("GET", "/escalations")).body.items;
    await at.askQuestion("Do you deliver to Malta?");
    const [question] = (await at.shop.admin("GET", "/questions")).body.items;
    const below = [
      "",
      "/reviews",
      `/reviews/${review.escalation_id}`,
      "/reviews?status=all",
      "/decisions",
      `/decisions/${order.decision_id}`,
      "/orders",
      `/orders/${order.order_id}`,
      `/orders/${order.order_id}/slip`,
      "/visits",
      "/agents-see",
      "/questions",
      `/questions/${question.question_id}`,
      "/platforms",
      "/agents",
      `/agents/${buyer.agentId}`,
      "/policy",
      "/policy?mode=json",
      "/products",
      "/audit",
      `/audit/${review.record_id}`,
      ...SETTINGS.map((part) => `/settings/${part}`),
      ...STEPS.map((step) => `?step=${step}`),
    ];
    return ["/sites", "/new", ...below.map((path) => `/${at.domain}${path}`)];
  }

  test.each(VIEWS)(
    "every page is accessible in $colorScheme at $width pixels",
    async (view) => {
      const paths = await everyPage();
      const { page } = await at.opened(viewOptions(view));
      await page.goto(`${at.baseUrl()}/console`);
      await page.getByText("For programs").click();
      await page.getByLabel("Token").waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
      await at.byLink(page, await at.operatorLink());
      await page.locator("main h1").waitFor();
      const found: unknown[] = [];
      for (const path of paths) {
        // As a link does: the page stays, and with it what examines it.
        await page.evaluate((to) => history.pushState(null, "", to), `/console${path}`);
        await page.locator(`main[aria-busy=false][data-shown$="${path}"] h1`).waitFor();
        await page.getByText("Loading…").first().waitFor({ state: "detached" });
        const barriers = await barriersOf(page);
        if (barriers.found.length > 0 || barriers.overflow > 0) found.push([path, barriers]);
      }
      expect(found).toEqual([]);
    },
    LONG_MS,
  );
});
