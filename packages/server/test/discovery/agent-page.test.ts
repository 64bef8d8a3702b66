import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS, VIEWS, viewOptions } from "../../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { cleanUp, freshEnvironment, startServer } from "../harness.ts";
import { htmlFaults } from "../valid-html.ts";
import { publishedSite } from "./published.ts";

let server: Awaited<ReturnType<typeof startServer>>;
let shop: Awaited<ReturnType<typeof publishedSite>>;
let browser: Browser;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  shop = await publishedSite(server);
  if (!skipChromium) browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
});

test("the agent page is valid HTML, and sets no redundant roles in its table", async () => {
  const html = await (await fetch(server.url + shop.paths.page)).text();
  expect(await htmlFaults(html)).toEqual([]);
  expect(html).toContain("<table");
  expect(html).not.toMatch(/<(table|thead|tbody|tr|th|td)[^>]* role=/);
});

describe.skipIf(skipChromium)("the agent page in a browser", () => {
  test.each(VIEWS)("is accessible in $colorScheme at $width pixels", async (view) => {
    const context = await browser.newContext(viewOptions(view));
    const page = await context.newPage();
    await page.goto(server.url + shop.paths.page);
    expect(await barriersOf(page)).toEqual(NO_BARRIERS);
  });

  test("breaks no word in the table of protocols on a phone, and describes each in a few lines", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(server.url + shop.paths.page);
    const broken = await page.evaluate(() => {
      const words: string[] = [];
      const table = document.querySelector("tbody") as Element;
      const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        for (const { index, 0: word } of (node.textContent ?? "").matchAll(/[^\s-]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => top));
          if (lines.size > 1) words.push(word);
        }
      }
      return words;
    });
    expect(broken).toEqual([]);
    // The name and the status share a line where they fit.
    const [name, status] = await page
      .locator("tbody tr")
      .first()
      .locator("th, td")
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().top));
    expect(status).toBe(name);
  });

  test("does not violate its own content security policy, and prints each skill's address", async () => {
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
  });
});
