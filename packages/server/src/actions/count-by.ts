import { HOUR_MS } from "../infra/time.js";

/** Counts over time are by UTC hour or day. */
export const COUNT_BY = ["hour", "day"] as const;
/** In some time zones days begin at half past an hour, or at a quarter to one. */
export const COUNT_SALES_BY = ["quarter_hour", ...COUNT_BY] as const;
export type CountBy = (typeof COUNT_SALES_BY)[number];

const STEP_MS: Readonly<Record<CountBy, number>> = {
  quarter_hour: HOUR_MS / 4,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
};

/** The beginning of the hour or day that contains a moment. */
export function stepOf(at: number, by: CountBy): number {
  return Math.floor(at / STEP_MS[by]) * STEP_MS[by];
}
