import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";
import { addressOf, EVERY_PAGE } from "./every-page.ts";

/** Some seventy pages are looked at one after another. */
const LONG_MS = 240_000;
/** An empty list that neither shows what will be in it nor offers something to do. */
const TEACHES_NOTHING = "[data-empty]:not(:has(a, button, [data-example]))";
/** What stands out most, and is offered: one button of a page. */
const PRIMARY = "main :is(.button-act, button.bg-act):visible";

describe.skipIf(skipChromium)("the console:", () => {
  const at = desk();

  /** Every page, by its path below the console: of a busy shop, and of one where nothing has happened yet. */
  async function everyPage(): Promise<readonly string[]> {
    const ids = await at.fillEveryPage();
    const busy = EVERY_PAGE.map((page) => addressOf(page, at.domain, ids));
    const bare = EVERY_PAGE.filter(
      ({ id, route }) => id === undefined && route.startsWith("/$site"),
    );
    const domain = `bare-${at.domain}`;
    await at.server.admin("POST", "/v1/admin/sites", { domain, name: "Bare" });
    return [...busy, ...bare.map((page) => addressOf(page, domain, ids))];
  }

  /** Goes to a page as a link does: the document stays, and with it what examines it. */
  async function show(page: Page, path: string): Promise<void> {
    await page.evaluate((to) => history.pushState(null, "", to), `/console${path}`);
    await page.locator(`main[aria-busy=false][data-shown$="${path}"] h1`).waitFor();
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
  }

  test.each(VIEWS)(
    "every page is accessible, and has at most one primary button, and teaches while it is empty, in $colorScheme at $width pixels",
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
      let empty = 0;
      for (const path of paths) {
        await show(page, path);
        const barriers = await barriersOf(page);
        if (barriers.found.length > 0 || barriers.overflow > 0) found.push([path, barriers]);
        const primary = await page.locator(PRIMARY).allInnerTexts();
        if (primary.length > 1) found.push([path, primary]);
        empty += await page.locator("[data-empty]").count();
        const teachesNothing = await page.locator(TEACHES_NOTHING).allInnerTexts();
        if (teachesNothing.length > 0) found.push([path, teachesNothing]);
      }
      expect(found).toEqual([]);
      expect(empty).toBeGreaterThan(10);
    },
    LONG_MS,
  );
});
