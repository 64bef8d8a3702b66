import { describe, expect, test } from "vitest";
import { barriersOf, NO_BARRIERS } from "../../../test/barriers.ts";
import { skipChromium } from "../../../test/chromium.ts";
import { ManualClock } from "../../server/src/infra/clock.ts";
import { send } from "../../server/test/http-client.ts";
import { desk, JOURNEY_VIEWS, journeyOptions } from "./desk.ts";

/** A visit in the evening of one day in Berlin, which is the morning of the next in Tokyo. */
const VISIT = "2026-11-17T20:00:00.000Z";
const NOW = "2026-11-17T20:30:00.000Z";

/** The day that both have in each zone. */
const DAYS = [
  { zone: "Asia/Tokyo", day: "Nov 18" },
  { zone: "Europe/Berlin", day: "Nov 17" },
  { zone: "America/New_York", day: "Nov 17" },
];

describe.skipIf(skipChromium)("what was recorded, in the charts of the overview:", () => {
  const clock = new ManualClock(Date.parse(VISIT));
  const at = desk({ clock });

  test("a visit and a purchase are on the day that they have in Tokyo, in Berlin and in New York", async () => {
    const { status } = await send(`${at.baseUrl()}/v1/discovery/ingest`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        schema_version: "1",
        site_key: at.shop.site_key,
        observed_at: VISIT,
        identification: { user_agent: "GPTBot/1.2" },
        page_context: { url: `https://${at.domain}/prices` },
      }),
    });
    expect(status).toBe(204);
    await at.at.order(at.shop, await at.at.buyer(at.shop));
    clock.advance(Date.parse(NOW) - clock.now());
    const last: unknown[] = [];
    for (const { zone } of DAYS) {
      const { page } = await at.opened({ timezoneId: zone });
      await page.clock.setFixedTime(NOW);
      await at.signedIn(page, "auditor", "?range=7d");
      for (const title of ["Visits over time", "Decisions over time", "Sales over time"]) {
        const chart = page.locator("figure", { hasText: title });
        await chart.getByText(`Time zone: ${zone}`).waitFor();
        await chart.getByText("Show as a table").click();
        const rows = await chart.locator("tbody tr").allInnerTexts();
        last.push([zone, title, rows.filter((row) => /\t.*[1-9]/.test(row))]);
      }
    }
    expect(last).toEqual(
      DAYS.flatMap(({ zone, day }) => [
        [zone, "Visits over time", [`${day}\t0\t1\t0\t0`]],
        [zone, "Decisions over time", [`${day}\t1\t0\t0\t0`]],
        [zone, "Sales over time", [`${day}\t€100.00\t€0.00`]],
      ]),
    );
  });
});

describe.skipIf(skipChromium)("the charts of the overview:", () => {
  const at = desk();

  /** Opens the overview at a fixed time in a zone, with one visit. */
  async function overview(
    timezoneId: string,
    range: string,
    {
      shopZone,
      at: start = VISIT,
      view = {},
    }: { readonly shopZone?: string; readonly at?: string; readonly view?: object } = {},
  ) {
    const { body: shop } = await at.shop.admin("GET", "/shop");
    if (shopZone !== undefined) {
      await at.shop.admin("PUT", "/shop", { ...shop, time_zone: shopZone });
    }
    const { page } = await at.opened({ timezoneId, ...view });
    await page.clock.setFixedTime(NOW);
    const kinds = { verified_agent: 1, declared_agent: 0, suspected_automation: 0, person: 0 };
    const pages = [{ page_url: "https://shop.example/roses", visits: 7 }];
    const item = { start, visits: 1, by_classification: kinds, by_agent: {} };
    await page.route("**/visits/counts?*", (route) =>
      route.fulfill({ json: { items: [item], pages, cut: false } }),
    );
    // There is a chart only after the first visit.
    await page.route("**/visits?limit=1", (route) =>
      route.fulfill({ json: { items: [{}], next_cursor: null } }),
    );
    await at.signedIn(page, "auditor", `?range=${range}`);
    const chart = page.locator("figure", { hasText: "Visits over time" });
    await chart.getByRole("group", { name: "Visits over time" }).waitFor();
    return { chart, page };
  }

  test("the days of charts are those of the shop, also half an hour off, wherever the reader is", async () => {
    const { chart, page } = await overview("Europe/Berlin", "24h", { shopZone: "Asia/Kolkata" });
    await chart.getByText("Time zone: Asia/Kolkata").waitFor();
    await chart.getByText("Show as a table").click();
    const last = chart.locator("tbody tr").last();
    // 20:30 in UTC is 2:00 in Kolkata, where an hour begins then.
    expect(await last.locator("th").textContent()).toBe("Nov 18, 2:00 AM");
    await page.getByLabel("Time range").selectOption("Last 7 days");
    await page.waitForURL("**?range=7d");
    expect(await last.locator("th").textContent()).toBe("Nov 18");
    expect(await page.getByText("Some visits were counted before").count()).toBe(0);
  });

  test.each([
    ["Asia/Kolkata", "2026-11-16T18:30:00.000Z", "Nov 17", undefined],
    ["Asia/Kolkata", "2026-11-16T18:00:00.000Z", "Nov 16", 30],
    ["Asia/Kathmandu", "2026-11-16T18:15:00.000Z", "Nov 17", undefined],
    ["Asia/Kathmandu", "2026-11-16T18:00:00.000Z", "Nov 16", 45],
  ])(
    "in %s, an hour that begins at %s is on %s, and the page says which minutes are shifted: %s",
    async (shopZone, start, day, minutes) => {
      const { chart, page } = await overview("Europe/Berlin", "7d", { shopZone, at: start });
      await chart.getByText("Show as a table").click();
      const row = chart.locator("tbody tr").filter({ hasText: day });
      expect(await row.locator("td").first().textContent()).toBe("1");
      const shifted = page.getByText("Before you set this time zone, visits in");
      expect(await shifted.count()).toBe(minutes === undefined ? 0 : 1);
      if (minutes !== undefined) {
        expect(await shifted.textContent()).toContain(
          `the first ${minutes} minutes of a day were counted in the day before`,
        );
      }
    },
  );

  test("days are chosen freely, and compared with as many days before", async () => {
    const { chart, page } = await overview("Asia/Tokyo", "7d");
    await page.getByText("No visits in the 7 days before").waitFor();
    await page.getByRole("heading", { name: "Top pages for agents" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "/roses" }).getByText("7").waitFor();
    await page.getByLabel("Time range").selectOption("Choose days");
    await page.waitForURL("**?range=days&from=2026-11-12&to=2026-11-18");
    await page.getByLabel("From").fill("2026-11-17");
    await page.getByText("No visits in the 2 days before").waitFor();
    await chart.getByText("Show as a table").click();
    expect(await chart.locator("tbody th").allTextContents()).toEqual(["Nov 17", "Nov 18"]);
    await page.getByLabel("From").fill("2026-11-19");
    await page.getByText("Choose a first and a last day, at most 366 days.").waitFor();
  });

  test.each(DAYS.flatMap((one) => JOURNEY_VIEWS.map((view) => ({ ...one, ...view }))))(
    "a visit is on the day it has in $zone, at $width pixels in $colorScheme",
    async (view) => {
      const { zone, day } = view;
      const { chart, page } = await overview(zone, "7d", { view: journeyOptions(view) });
      await chart.getByText(`Time zone: ${zone}`).waitFor();
      await chart.getByText("Show as a table").click();
      const last = chart.locator("tbody tr").last();
      expect(await last.locator("th").textContent()).toBe(day);
      expect(await last.locator("td").first().textContent()).toBe("1");
      await chart.getByRole("group", { name: "Visits over time" }).press("End");
      await chart.getByText(`${day}: Verified agent 1,`).waitFor();
      expect(await barriersOf(page)).toEqual(NO_BARRIERS);
    },
  );

  test.each([
    ["Asia/Tokyo", "Nov 18, 5:00 AM"],
    ["Europe/Berlin", "Nov 17, 9:00 PM"],
    ["America/New_York", "Nov 17, 3:00 PM"],
  ])("an hour has the name it has in %s", async (zone, hour) => {
    const { chart } = await overview(zone, "24h");
    await chart.getByText(`Time zone: ${zone}`).waitFor();
    await chart.getByText("Show as a table").click();
    const last = chart.locator("tbody tr").last();
    expect(await last.locator("th").textContent()).toBe(hour);
    expect(await last.locator("td").first().textContent()).toBe("1");
    await chart.locator("[data-place]").last().hover();
    await chart.getByText(`${hour}: Verified agent 1,`).waitFor();
  });

  test("sales are compared with the time before, in words and as a line", async () => {
    const { page } = await at.opened({ timezoneId: "Europe/Berlin" });
    await page.clock.setFixedTime(NOW);
    const of = (start: string, minor: number) => {
      return { start, orders: 1, amounts: [{ minor, currency: "EUR" }] };
    };
    const answer = (items: object[], total: object) => ({
      json: { items, total, agents: [], products: [], is_test: false, cut: false },
    });
    await page.route("**/orders/counts?*", (route) => {
      const isBefore = new URL(route.request().url()).searchParams.has("to");
      // The last hour of the time before is later in its week than it is now in this one.
      const items = isBefore
        ? [of("2026-11-05T10:00:00.000Z", 10_000), of("2026-11-10T22:00:00.000Z", 30_000)]
        : [of(VISIT, 11_200)];
      const minor = isBefore ? 40_000 : 11_200;
      return route.fulfill(answer(items, of("", minor)));
    });
    await page.route("**/orders?limit=1", (route) =>
      route.fulfill({ json: { items: [{}], next_cursor: null } }),
    );
    await at.signedIn(page, "auditor", "?range=7d");
    await page.getByText("+12 %, more than in the 7 days before").waitFor();
    await page.getByText("As many orders as in the 7 days before").waitFor();
    const chart = page.locator("figure", { hasText: "Sales over time" });
    expect(await chart.locator("[data-before]").count()).toBe(1);
    await chart.getByText("The 7 days before").first().waitFor();
    // The axis begins at zero and ends above the highest value, which is in the time before.
    const axis = chart.locator("[aria-hidden=true]").filter({ hasText: "€0" }).first();
    const ticks = await axis.locator("span").allTextContents();
    expect([ticks[0], ticks.at(-1)]).toEqual(["€0", "€400"]);
    await chart.getByRole("group", { name: "Sales over time" }).press("End");
    await chart.getByText("Nov 17: Sales €112.00, The 7 days before €300.00").waitFor();
  });
});
