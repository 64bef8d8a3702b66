import { describe, expect, test } from "vitest";
import { fullTime, shortTime } from "../src/ui/times.ts";

describe("times in lists:", () => {
  // Half past nine in the evening in Berlin.
  const now = Date.parse("2026-11-17T20:30:00.000Z");

  test.each([
    ["2026-11-17T18:45:00.000Z", "Europe/Berlin", "7:45 PM"],
    ["2026-11-16T18:45:00.000Z", "Europe/Berlin", "Yesterday 7:45 PM"],
    ["2026-11-15T22:59:00.000Z", "Europe/Berlin", "Nov 15, 11:59 PM"],
    ["2026-11-15T23:00:00.000Z", "Europe/Berlin", "Yesterday 12:00 AM"],
    ["2026-01-01T00:00:00.000Z", "America/New_York", "Dec 31, 2025, 7:00 PM"],
    ["2026-11-16T18:45:00.000Z", "Asia/Tokyo", "Yesterday 3:45 AM"],
    ["2026-11-18T14:00:00.000Z", "Asia/Tokyo", "11:00 PM"],
    ["2027-02-01T12:00:00.000Z", "UTC", "Feb 1, 2027, 12:00 PM"],
  ])("%s is read in %s as %s", (at, zone, text) => {
    // Newer versions put a narrow space before AM and PM.
    expect(shortTime(at, zone, now).replace(/\s/g, " ")).toBe(text);
  });

  test("the full time names the zone", () => {
    const text = fullTime("2026-11-16T18:45:00.000Z", "Asia/Tokyo");
    expect(text.replace(/\s/g, " ")).toBe("Nov 17, 2026, 3:45 AM GMT+9");
  });
});
