import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { ALL_PAGES } from "../src/layout/navigation.ts";
import { SETTINGS_PARTS } from "../src/settings/parts.ts";
import { HELP } from "../src/ui/help.tsx";
import { desk } from "./desk.ts";
import { addressOf, EVERY_PAGE } from "./every-page.ts";

describe.skipIf(skipChromium)("How this works", () => {
  const at = desk();

  test("is known for every page of the navigation and every part of the settings", () => {
    const pages = ALL_PAGES.map(({ to }) => (to === "/$site" ? "/$site/" : to));
    const parts = Object.keys(SETTINGS_PARTS).map((part) => `/$site/settings/${part}`);
    expect([...pages, ...parts].filter((page) => HELP[page] === undefined)).toEqual([]);
  });

  test("is on every page, and leads to a part of the documentation that exists", async () => {
    const ids = await at.fillEveryPage();
    const { page } = await at.opened();
    await page.goto(await at.operatorLink());
    await page.getByRole("button", { name: "Sign in with this link" }).click();
    await page.locator("main h1").waitFor();
    const link = page.getByRole("link", { name: "How this works" });
    const wrong: unknown[] = [];
    for (const [name, help] of Object.entries(HELP)) {
      const shown = EVERY_PAGE.find(
        ({ route, part = "" }) => route.replace("$part", part) === name,
      );
      if (shown === undefined) throw new Error(`${name} is no page`);
      const address = `/console${addressOf(shown, at.domain, ids)}`;
      // As a link does, which takes less time than a new load for each.
      await page.evaluate((to) => {
        window.history.pushState(null, "", to);
        window.dispatchEvent(new PopStateEvent("popstate"));
      }, address);
      await page.locator(`main[data-shown^="${address.replace("/console", "")}"]`).waitFor();
      await link.waitFor();
      const href = (await link.getAttribute("href")) as string;
      const [path, anchor] = href.split("#");
      const answer = await fetch(at.baseUrl() + path, { headers: { accept: "text/html" } });
      const isThere = answer.ok && (await answer.text()).includes(` id="${anchor}"`);
      if (href !== `/docs/guide/${help}` || !isThere) wrong.push([name, href]);
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
