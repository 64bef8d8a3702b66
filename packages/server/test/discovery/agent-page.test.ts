import axe from "axe-core";
import { beforeAll, describe, expect, test } from "vitest";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { cleanUp, freshEnvironment, startServer } from "../harness.ts";
import { publishedSite } from "./published.ts";

let server: Awaited<ReturnType<typeof startServer>>;
let shop: Awaited<ReturnType<typeof publishedSite>>;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  shop = await publishedSite(server);
  return cleanUp;
});

type Violations = { violations: { id: string; nodes: { html: string }[] }[] };

describe.skipIf(skipChromium)("the agent page in a browser", () => {
  test.each([
    ["light", 1000],
    ["dark", 1000],
    ["light", 360],
    ["dark", 360],
  ] as const)(
    "is accessible in %s at %d pixels",
    { timeout: 60_000 },
    async (colorScheme, width) => {
      const browser = await launchChromium();
      try {
        // The page's own policy lets no script in; the examiner comes in past it.
        const context = await browser.newContext({
          ...{ colorScheme, viewport: { width, height: 800 }, bypassCSP: true },
        });
        const page = await context.newPage();
        await page.goto(server.url + shop.paths.page);
        await page.addScriptTag({ content: axe.source });
        const { violations } = (await page.evaluate("axe.run()")) as Violations;
        const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
        expect(found).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBe(0);
      } finally {
        await browser.close();
      }
    },
  );

  test("breaks its own policy nowhere, and prints each skill's address", async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      await page.goto(server.url + shop.paths.page);
      const font = () => page.evaluate(() => getComputedStyle(document.body).fontFamily);
      expect(await font()).toContain("system-ui");
      await page.emulateMedia({ media: "print" });
      const printed = await page.evaluate(
        () => getComputedStyle(document.querySelector("ul.skills a") as Element, "::after").content,
      );
      expect(printed).toContain("https://shop.example.com/prices");
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  }, 60_000);
});
