import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { noteSeen } from "../../server/src/domain/platforms/store.ts";
import { ALL_PAGES } from "../src/layout/navigation.ts";
import { SETTINGS_PARTS } from "../src/settings/parts.ts";
import { HELP } from "../src/ui/help.tsx";
import { desk } from "./desk.ts";

type Item = Readonly<Record<string, string>> & { readonly record: { readonly record_id: string } };
const named = (name: string) => (item: Item) => item[name] as string;

/** Where the ids of pages are listed, by the first part of their address. */
const LISTS: Readonly<Record<string, readonly [path: string, idOf: (item: Item) => string]>> = {
  orders: ["orders", named("order_id")],
  reviews: ["escalations?status=pending", named("escalation_id")],
  products: ["products", named("id")],
  agents: ["agents", named("agent_id")],
  platforms: ["platforms", named("platform")],
  decisions: ["decisions", named("decision_id")],
  questions: ["questions", named("question_id")],
  audit: ["audit/records", ({ record }) => record.record_id],
};

describe.skipIf(skipChromium)("How this works", () => {
  const at = desk();

  /** The address of a page, where a list knows one. */
  async function addressOf(page: string): Promise<string> {
    const path = page.replace("/$site", `/${at.domain}`);
    const list = /^\/\$site\/([\w-]+)\/\$id$/.exec(page)?.[1];
    if (list === undefined) return path;
    const [from, idOf] = LISTS[list] as (typeof LISTS)[string];
    const { items } = (await at.shop.admin("GET", `/${from}`)).body;
    return path.replace("$id", encodeURIComponent(idOf(items[0])));
  }

  test("is known for every page of the navigation and every part of the settings", () => {
    const pages = ALL_PAGES.map(({ to }) => (to === "/$site" ? "/$site/" : to));
    const parts = Object.keys(SETTINGS_PARTS).map((part) => `/$site/settings/${part}`);
    expect([...pages, ...parts].filter((page) => HELP[page] === undefined)).toEqual([]);
  });

  test("is on every page, and leads to a part of the documentation that exists", async () => {
    await at.createActivity();
    await at.askQuestion("Do you deliver on Sundays?");
    const { db, clock } = at.server.context;
    await db.transaction((tx) =>
      noteSeen(tx, at.shop.site_key_hash, "https://platform.example/.well-known/ucp", clock.now()),
    );
    const { page } = await at.opened();
    await page.goto(await at.operatorLink());
    await page.getByRole("button", { name: "Sign in with this link" }).click();
    await page.locator("main h1").waitFor();
    const link = page.getByRole("link", { name: "How this works" });
    const wrong: unknown[] = [];
    for (const [name, help] of Object.entries(HELP)) {
      const address = `/console${await addressOf(name)}`;
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
