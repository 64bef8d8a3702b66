import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from "../infra/time.js";

/** Visits are counted by hour or day. */
export const COUNT_BY = ["hour", "day"] as const;
/** Days begin at half past an hour in some time zones, and at a quarter past or to one in others. */
export const COUNT_BY_QUARTER = ["quarter_hour", ...COUNT_BY] as const;
export type CountBy = (typeof COUNT_BY_QUARTER)[number];

export const STEP_MS: Readonly<Record<CountBy, number>> = {
  quarter_hour: QUARTER_HOUR_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};

/** The beginning of the UTC hour or day that contains a moment. */
export function stepOf(at: number, by: CountBy): number {
  return Math.floor(at / STEP_MS[by]) * STEP_MS[by];
}
