import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { newKey } from "../../server/test/agents/registering.ts";
import { desk } from "./desk.ts";

/** Pixels by which what has loaded may be higher or lower than what stood in for it. */
const MOVED_MAX = 40;

/** The cards of a page by their left edge and width, and where the first of each column begins. */
function columnsOf(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => {
    const cards = [...document.querySelectorAll("main .bg-card.border")].filter(
      (card) => card.parentElement?.closest(".bg-card.border") === null,
    );
    const columns: Record<string, number> = {};
    for (const card of cards) {
      const { left, width, top } = card.getBoundingClientRect();
      columns[`${Math.round(left)} ${Math.round(width)}`] ??= Math.round(top);
    }
    return columns;
  });
}

describe.skipIf(skipChromium)("pages that are loading:", () => {
  const at = desk();

  test("a list keeps its columns and its order, and loads in its final shape", async () => {
    for (const name of ["Beta", "Alpha"]) {
      const { jwk } = await newKey();
      await at.shop.admin("POST", "/agents", { name, jwk });
    }
    const { page } = await at.opened({ viewport: { width: 1440, height: 900 } });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/agents?*", async (route) => {
      await held;
      await route.continue();
    });
    await at.signedIn(page, "owner", "/agents");
    const skeleton = page.locator("[data-skeleton=list]");
    await skeleton.waitFor();
    const delay = (node: Element) => getComputedStyle(node.closest(".late") ?? node).animationDelay;
    expect(await skeleton.evaluate(delay)).toBe("0.15s");
    const heads = await skeleton.locator("th").allTextContents();
    release();
    const table = page.getByRole("table", { name: "Agents" });
    await table.waitFor();
    const trimmed = async () =>
      (await table.locator("th").allTextContents()).map((head) => head.trim());
    expect(await trimmed()).toEqual(heads);
    await table.getByRole("button", { name: "Agent", exact: true }).click();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Scopes" }).uncheck();
    await page.reload();
    await table.waitFor();
    expect(await trimmed()).toEqual(["Agent↑", "State", "Tags", "Registered"]);
    const names = await table.locator("tbody tr td:first-child").allTextContents();
    expect(names.map((name) => name.slice(0, 4))).toEqual(["Alph", "Beta"]);
  });

  test.each([
    ["home", "", "shop"],
    ["home", "", "visits?*"],
    ["order", "/orders/", "shop"],
    ["order", "/orders/", "orders/ord_*"],
    ["review", "/reviews/", "shop"],
    ["review", "/reviews/", "escalations/esc_*"],
  ])(
    "what is loading has the shape that it will have: %s, until %s%s is here",
    async (name, path, late) => {
      await at.createActivity();
      const [order] = (await at.shop.admin("GET", "/orders")).body.items;
      const [review] = (await at.shop.admin("GET", "/escalations")).body.items;
      const ids: Readonly<Record<string, string>> = {
        order: order.order_id,
        review: review.escalation_id,
      };
      for (const width of [1440, 390]) {
        const { page } = await at.opened({ viewport: { width, height: 900 } });
        let release = () => {};
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.route(`**/v1/admin/sites/*/${late}`, async (route) => {
          await held;
          await route.continue();
        });
        const isAsked = page.waitForRequest(`**/v1/admin/sites/*/${late}`);
        const shown = at.signedIn(page, "owner", `${path}${ids[name] ?? ""}`);
        // Only now: before, another part of the page may be what is loading.
        await isAsked;
        const skeleton = page.locator(`[data-skeleton=${name}]`);
        await skeleton.waitFor();
        const expected = await columnsOf(page);
        release();
        await shown;
        await page.getByText("Loading…").first().waitFor({ state: "detached" });
        const loaded = await columnsOf(page);
        expect(Object.keys(loaded)).toEqual(expect.arrayContaining(Object.keys(expected)));
        const moved = Object.entries(expected).filter(
          ([column, top]) => Math.abs((loaded[column] ?? 0) - top) > MOVED_MAX,
        );
        expect([moved, loaded]).toEqual([[], loaded]);
        await page.context().close();
      }
    },
  );
});
