import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { root } from "../../../test/source.ts";
import { newKey, registering } from "../../server/test/agents/registering.ts";
import { createSite } from "../../server/test/harness.ts";
import { ALL_PAGES } from "../src/layout/navigation.ts";
import { desk } from "./desk.ts";
import { consoleSteps, type Step } from "./guide-steps.ts";

const FOLDER = join(root, "docs/guide");
const found = readdirSync(FOLDER).flatMap((name) =>
  consoleSteps(name, readFileSync(join(FOLDER, name), "utf8")),
);
const LOOK_MS = 3000;
/** These sections are about a site that has just been added. */
const OF_A_NEW_SITE = ["Get ready to sell", "Prove that the domain is yours"];

test("the guides say what to do in the console in many places", () => {
  expect(found.length).toBeGreaterThan(25);
  expect(new Set(found.map(({ guide }) => guide)).size).toBeGreaterThan(6);
});

test("the guide of the console describes every page of the navigation", () => {
  const guide = readFileSync(join(FOLDER, "console.md"), "utf8");
  const missing = ALL_PAGES.filter(({ label }) => !guide.includes(`\n- **${label}**:`));
  expect(missing.map(({ label }) => label)).toEqual([]);
});

describe.skipIf(skipChromium)("a reader in the console", () => {
  const at = desk({ platform: true });

  test("finds what the guides name, page by page, and can choose it", async () => {
    await at.shop.admin("PUT", "/notifications", { webhook_url: "https://hooks.example.com/1" });
    await at.createActivity();
    await at.buysAtPlatform();
    await registering(at.server).register(at.shop, await newKey());
    await at.askQuestion("Do you deliver on Sundays?");
    const { domain: newSite } = await createSite(at.server, "new.example.com", false);
    const { page } = await at.opened({ viewport: { width: 1440, height: 1000 } });
    await at.byLink(page, await at.operatorLink());
    await page.locator("main h1").waitFor();
    const [allowed = ""] = at.server.context.config.fetchAllow;
    const feed = `http://${allowed}/products.xml`;
    const missing: string[] = [];
    for (const { guide, line, section, steps } of found) {
      // What the last reader typed and did not save.
      await page.evaluate(() => sessionStorage.clear());
      const site = OF_A_NEW_SITE.includes(section) ? newSite : at.domain;
      await page.goto(`${at.baseUrl()}/console/${site}`);
      await page.locator("main h1").waitFor();
      for (const step of steps) {
        const fault = await follow(page, step, feed).catch((error) => String(error).split("\n")[0]);
        const label = step.labels.join(" → ") || step.kind;
        if (fault !== undefined) missing.push(`${guide}:${line} (${section}): ${label}: ${fault}`);
      }
    }
    expect(missing).toEqual([]);
  }, 300_000);
});

async function follow(
  page: Page,
  { kind, labels }: Step,
  feed: string,
): Promise<string | undefined> {
  const yes = page.getByRole("dialog").getByRole("button").last();
  if (kind === "confirm") await yes.click({ timeout: LOOK_MS });
  const sites = page.getByRole("button", { name: /^Site: / });
  if (kind === "sites") await sites.click({ timeout: LOOK_MS });
  const entry = page.locator("main tbody a").first();
  if (kind === "first") await entry.click({ timeout: LOOK_MS });
  for (const label of labels) {
    const isPath = labels.length > 1;
    const target = await named(page, label);
    if (target === undefined) return `${label} is not at ${new URL(page.url()).pathname}`;
    const tag = await target.evaluate((element) => element.tagName);
    if (tag === "A" || tag === "SUMMARY" || isPath || kind === "choose") {
      await fillForm(target, { email: "ada@example.com", url: feed });
      await target.click({ timeout: LOOK_MS });
    }
  }
  return undefined;
}

/** What bears a label on the page, as a person sees it: of the sidebar, the page or a dialog. */
async function named(page: Page, label: string): Promise<Locator | undefined> {
  const exact = { name: label, exact: true };
  const target = page
    .getByRole("link", exact)
    .or(page.getByRole("button", exact))
    .or(page.locator("summary").filter({ hasText: label }))
    .or(page.getByLabel(label, { exact: true }))
    .or(page.getByText(label, { exact: true }))
    .locator("visible=true")
    .first();
  const option = page.getByRole("option", exact);
  await target
    .or(option)
    .first()
    .waitFor({ state: "attached", timeout: LOOK_MS })
    .catch(() => {});
  if ((await target.count()) > 0) return target;
  if ((await option.count()) === 0) return undefined;
  const list = page.locator("select").filter({ has: option }).first();
  await list.selectOption({ label });
  return list;
}

/** Fills what the form of a button needs, as a reader does before choosing it. */
async function fillForm(button: Locator, answers: Readonly<Record<string, string>>): Promise<void> {
  const form = button.locator("xpath=ancestor::form[1]");
  for (const field of await form.locator("input[required]").all()) {
    const type = (await field.getAttribute("type")) ?? "text";
    if ((await field.inputValue()) === "") await field.fill(answers[type] ?? "Ada");
  }
}
