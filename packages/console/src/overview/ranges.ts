import { DAY_MS } from "../ui/words.js";

/** How far back the overview looks, and in what steps. */
export const RANGES = {
  "24h": { label: "Last 24 hours", ms: DAY_MS, by: "hour" },
  "7d": { label: "Last 7 days", ms: 7 * DAY_MS, by: "day" },
  "30d": { label: "Last 30 days", ms: 30 * DAY_MS, by: "day" },
  "90d": { label: "Last 90 days", ms: 90 * DAY_MS, by: "day" },
} as const;
export type RangeName = keyof typeof RANGES;

const HOUR_MS = DAY_MS / 24;
const STEP_MS = { hour: HOUR_MS, day: DAY_MS } as const;

/** The steps of a range, the oldest first: those without anything are there too. */
export function stepsOf(range: RangeName, now: number): readonly number[] {
  const { ms, by } = RANGES[range];
  const step = STEP_MS[by];
  const last = Math.floor(now / step) * step;
  const count = Math.round(ms / step);
  return Array.from({ length: count }, (_, place) => last - (count - 1 - place) * step);
}
