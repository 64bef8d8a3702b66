import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barriersOf, VIEWS, viewOptions } from "../../../../test/barriers.ts";
import { launchChromium, skipChromium } from "../../../../test/chromium.ts";
import { sourcesIn, sourcesOf } from "../../../../test/source.ts";
import { EVERY_MAIL } from "./every-mail.ts";

/** Rules for pages. A mail stands in a mailbox, which has the landmarks and the heading. */
const OF_PAGES = ["landmark-one-main", "page-has-heading-one", "region"];

test("every function that writes a mail is in the list that is photographed and examined", () => {
  const written = sourcesOf("server").flatMap(({ text }) =>
    [...text.matchAll(/function (\w+Mail)\([\s\S]*?\n\}\n/g)]
      .filter(([body]) => /\bsubject\b/.test(body))
      .map(([, name]) => name as string),
  );
  expect(written.length).toBeGreaterThan(8);
  const [list] = sourcesIn("packages/server/test/notifications", /every-mail\.ts$/);
  expect(written.filter((name) => !list?.text.includes(`: ${name}(`))).toEqual([]);
});

test.each(EVERY_MAIL)("the mail $name is written for people", ({ subject, text }) => {
  expect(subject.length).toBeLessThan(100);
  // Times and sums as people read them, and no line that was broken for a terminal.
  expect(subject + text).not.toMatch(/\dT\d|\d EUR\b|undefined|null|NaN|\[object/);
  expect(text).not.toMatch(/[a-z,]\n[a-z]/);
});

test.each(EVERY_MAIL)("the mail $name begins with its sender, and shows a large amount", (mail) => {
  const texts = mail.html.replace(/<title>.*<\/title>/, "").replace(/<[^>]+>/g, "\n");
  const [letter, name, next] = texts.split(/\n+/).filter((line) => line.trim() !== "");
  const shop = mail.shop === undefined ? "Gatehouse" : "Fern &amp; Petal";
  expect([letter, name]).toEqual([shop[0], shop]);
  const sums = /^(?:review|sold|disputed|expiring|captured|buyer-ordered|buyer-refunded)/;
  expect(mail.amount ?? "").toMatch(sums.test(mail.name) ? /^€\d+\.\d\d$/ : /^$/);
  if (mail.amount !== undefined) expect(next).toBe(mail.amount);
});

test("a mail to a buyer names the shop, and says when the buyer is charged", () => {
  const textOf = (wanted: string) => EVERY_MAIL.find(({ name }) => name === wanted)?.text;
  expect(textOf("buyer-ordered")).toContain("Thank you for your order at Fern & Petal.\n");
  expect(textOf("buyer-ordered")).toContain(
    "You are not charged yet. The shop charges €67.30 when it processes your order.\n",
  );
  for (const kind of ["buyer-ordered", "buyer-shipped", "buyer-refunded", "buyer-cancelled"]) {
    expect(textOf(kind)).not.toMatch(/at flowers\.example|authorized|captured/);
  }
});

describe.skipIf(skipChromium)("every mail", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each(VIEWS)("is accessible and fits, at $width pixels", async (view) => {
    const context = await browser.newContext(viewOptions(view));
    const page = await context.newPage();
    const barriers: unknown[] = [];
    for (const { name, html } of EVERY_MAIL) {
      await page.setContent(html);
      const { found, overflow } = await barriersOf(page);
      const own = found.filter((one) => !OF_PAGES.includes((one as [string])[0]));
      if (own.length > 0 || overflow > 0) barriers.push([name, own, overflow]);
    }
    expect(barriers).toEqual([]);
    await context.close();
  });
});
