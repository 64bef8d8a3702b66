import { describe, expect, test } from "vitest";
import { barriersOf, VIEWS, viewOptions } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";
import { dialogUrl, EVERY_DIALOG, isIn, openDialog } from "./every-dialog.ts";
import { addressOf, EVERY_PAGE } from "./every-page.ts";

/** Some fifty dialogs are looked at one after another. */
const LONG_MS = 240_000;
/** What stands out most, and is offered: one button of a dialog. */
const PRIMARY = "[role=dialog] :is(.button-act, button.bg-act):visible";

describe.skipIf(skipChromium)("the console:", () => {
  const at = desk();

  test.each(VIEWS)(
    "every dialog is accessible, fits, and has at most one primary button, in $colorScheme at $width pixels",
    async (view) => {
      const ids = await at.fillEveryPage();
      await at.tokenOf("reviewer");
      const { page } = await at.opened(viewOptions(view));
      await at.byLink(page, await at.operatorLink());
      await page.locator("main h1").waitFor();
      const addresses = EVERY_PAGE.map((one) => {
        const url = `${at.baseUrl()}/console${addressOf(one, at.domain, ids)}`;
        return [one.name, url] as const;
      });
      const pages = Object.fromEntries(addresses);
      const found: unknown[] = [];
      const titles: string[] = [];
      for (const dialog of EVERY_DIALOG.filter((one) => isIn(one, view.width))) {
        await openDialog(page, dialogUrl(dialog, pages), dialog);
        const barriers = await barriersOf(page);
        if (barriers.found.length > 0 || barriers.overflow > 0) found.push([dialog.name, barriers]);
        const primary = await page.locator(PRIMARY).allInnerTexts();
        if (primary.length > 1) found.push([dialog.name, primary]);
        const { y, height } = (await page.getByRole("dialog").boundingBox()) ?? {
          y: -1,
          height: 0,
        };
        if (y < 0 || y + height > 800) found.push([dialog.name, y, height]);
        titles.push(await page.getByRole("dialog").getByRole("heading").first().innerText());
      }
      expect(found).toEqual([]);
      // Each is another one.
      expect(titles).toEqual([...new Set(titles)]);
    },
    LONG_MS,
  );
});
