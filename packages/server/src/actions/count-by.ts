import { HOUR_MS } from "../infra/time.js";

/** What is counted over time is counted by UTC hours or days. */
export const COUNT_BY = ["hour", "day"] as const;
export type CountBy = (typeof COUNT_BY)[number];

const STEP_MS: Readonly<Record<CountBy, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };

/** Where the step begins that a moment lies in. */
export function stepOf(at: number, by: CountBy): number {
  return Math.floor(at / STEP_MS[by]) * STEP_MS[by];
}
