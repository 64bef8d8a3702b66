/**
 * Every window budgets and velocities can be counted over. The set is fixed, and one length has one
 * spelling, so that a (scope, window) pair names one counter. Records name windows: the set may
 * grow, never shrink.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time.js";
export const POLICY_WINDOWS = Object.freeze([
  "PT1M",
  "PT5M",
  "PT10M",
  "PT15M",
  "PT30M",
  "PT1H",
  "PT6H",
  "PT12H",
  "P1D",
  "P7D",
  "P14D",
  "P30D",
  "P31D",
] as const);

/** A window of the fixed set, as an ISO 8601 duration. */
export type PolicyWindow = (typeof POLICY_WINDOWS)[number];

const DURATION = /^P(?=.)(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,5})H)?(?:(\d{1,5})M)?)?$/;

/**
 * Milliseconds of an ISO 8601 duration of days, hours and minutes; `undefined` for any other text.
 * A day is 24 hours: windows and deadlines are lengths of time, not dates of a calendar.
 *
 * @example
 * policyDurationMs("PT4H"); //=> 14_400_000
 * policyDurationMs("P1DT30M"); //=> 88_200_000
 * policyDurationMs("P1M"); //=> undefined
 */
export function policyDurationMs(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, days = "0", hours = "0", minutes = "0"] = match;
  return Number(days) * DAY_MS + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
}
