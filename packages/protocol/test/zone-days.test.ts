import { describe, expect, test } from "vitest";
import { dayInZone, endOfDay, startOfDay } from "../src/index.ts";

const iso = (ms: number | undefined) => ms !== undefined && new Date(ms).toISOString();

describe("days of a time zone:", () => {
  test.each([
    ["2026-11-17", "Europe/Berlin", "2026-11-16T23:00:00.000Z", "2026-11-17T23:00:00.000Z"],
    ["2026-11-17", "Asia/Tokyo", "2026-11-16T15:00:00.000Z", "2026-11-17T15:00:00.000Z"],
    ["2026-11-17", "America/New_York", "2026-11-17T05:00:00.000Z", "2026-11-18T05:00:00.000Z"],
    ["2026-11-17", "UTC", "2026-11-17T00:00:00.000Z", "2026-11-18T00:00:00.000Z"],
    // The clocks change in the night: these days have 23 and 25 hours.
    ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
    ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
    // The clocks change at midnight: this day begins at one o'clock.
    ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", "2018-11-05T02:00:00.000Z"],
    ["2018-02-18", "America/Sao_Paulo", "2018-02-18T03:00:00.000Z", "2018-02-19T03:00:00.000Z"],
  ])("%s begins and ends at midnight in %s", (day, zone, start, end) => {
    expect([iso(startOfDay(day, zone)), iso(endOfDay(day, zone))]).toEqual([start, end]);
    expect(dayInZone(Date.parse(start), zone)).toBe(day);
    expect(dayInZone(Date.parse(end), zone) === day).toBe(false);
  });

  test.each(["", "2026-02-30", "2026-13-01", "17.11.2026", "2026-11-17T00:00:00Z"])(
    "%j is not a day",
    (day) => {
      expect([startOfDay(day, "UTC"), endOfDay(day, "UTC")]).toEqual([undefined, undefined]);
    },
  );
});
