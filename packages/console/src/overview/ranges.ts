import { DAY_MS } from "../ui/words.js";

/** The time ranges of the overview, and the steps of their charts. */
export const RANGES = {
  "24h": { label: "Last 24 hours", count: 24, by: "hour" },
  "7d": { label: "Last 7 days", count: 7, by: "day" },
  "30d": { label: "Last 30 days", count: 30, by: "day" },
  "90d": { label: "Last 90 days", count: 90, by: "day" },
} as const;
export type RangeName = keyof typeof RANGES;

const HOUR_MS = DAY_MS / 24;

/** The starts of the hours or days of a range, oldest first. Days begin at midnight in the reader's zone. */
export function stepsOf(range: RangeName, now: number): readonly number[] {
  const { count, by } = RANGES[range];
  const back = Array.from({ length: count }, (_, place) => count - 1 - place);
  if (by === "hour") {
    const last = Math.floor(now / HOUR_MS) * HOUR_MS;
    return back.map((steps) => last - steps * HOUR_MS);
  }
  return back.map((steps) => {
    const day = new Date(now);
    day.setHours(0, 0, 0, 0);
    // Days of 23 and 25 hours exist, so the date is counted and not the hours.
    day.setDate(day.getDate() - steps);
    return day.getTime();
  });
}

/** The position of the step that contains a time, or -1. */
export function stepAt(steps: readonly number[], at: number): number {
  return steps.findLastIndex((step) => step <= at);
}
