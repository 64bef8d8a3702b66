import { HOUR_MS } from "../infra/time.js";

/** Counts over time are by UTC hour or day. */
export const COUNT_BY = ["hour", "day"] as const;
export type CountBy = (typeof COUNT_BY)[number];

const STEP_MS: Readonly<Record<CountBy, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };

/** The beginning of the hour or day that contains a moment. */
export function stepOf(at: number, by: CountBy): number {
  return Math.floor(at / STEP_MS[by]) * STEP_MS[by];
}
