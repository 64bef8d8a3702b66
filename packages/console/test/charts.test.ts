import { describe, expect, test } from "vitest";
import { skipChromium } from "../../../test/chromium.ts";
import { desk } from "./desk.ts";

/** A visit in the evening of one day in Berlin, which is the morning of the next in Tokyo. */
const VISIT = "2026-11-17T20:00:00.000Z";
const NOW = "2026-11-17T20:30:00.000Z";

describe.skipIf(skipChromium)("the charts of the overview:", () => {
  const at = desk();

  /** Opens the overview at a fixed time in a zone, with one visit. */
  async function overview(timezoneId: string, range: string) {
    const { page } = await at.opened({ timezoneId });
    await page.clock.setFixedTime(NOW);
    const kinds = { verified_agent: 1, declared_agent: 0, suspected_automation: 0, person: 0 };
    const item = { start: VISIT, visits: 1, by_classification: kinds, by_agent: {} };
    await page.route("**/visits/counts?*", (route) =>
      route.fulfill({ json: { items: [item], cut: false } }),
    );
    // There is a chart only after the first visit.
    await page.route("**/visits?limit=1", (route) =>
      route.fulfill({ json: { items: [{}], next_cursor: null } }),
    );
    await at.signedIn(page, "auditor", `?range=${range}`);
    const chart = page.locator("figure", { hasText: "Visits over time" });
    await chart.getByRole("group", { name: "Visits over time" }).waitFor();
    return { chart };
  }

  test.each([
    ["Asia/Tokyo", "Nov 18"],
    ["Europe/Berlin", "Nov 17"],
    ["America/New_York", "Nov 17"],
  ])("a visit is on the day it has in %s", async (zone, day) => {
    const { chart } = await overview(zone, "7d");
    await chart.getByText(`Time zone: ${zone}`).waitFor();
    await chart.getByText("Show as a table").click();
    const last = chart.locator("tbody tr").last();
    expect(await last.locator("th").textContent()).toBe(day);
    expect(await last.locator("td").first().textContent()).toBe("1");
    await chart.getByRole("group", { name: "Visits over time" }).press("End");
    await chart.getByText(`${day}: Verified agent 1,`).waitFor();
  });

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
});
