import { dayInZone, startOfDay } from "@gatehouse/protocol";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../ui/time-units.js";

/** The time ranges of Home. `days` is chosen with a first and a last day. */
export const RANGES = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  days: "Choose days",
} as const;
export type RangeName = keyof typeof RANGES;

export const isRange = (text: unknown): text is RangeName =>
  typeof text === "string" && Object.hasOwn(RANGES, text);

/** A range as the address names it. */
export interface Range {
  readonly range: RangeName;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A time that charts show, and the same number of steps before it. */
export interface Span {
  readonly by: "hour" | "day";
  /** The starts of the hours or days, oldest first. */
  readonly steps: readonly number[];
  readonly stepsBefore: readonly number[];
  /** When the time ends; it may be later today. */
  readonly end: number;
  /** How the time before is called. */
  readonly before: string;
}

const HOURS = 24;
export const DAYS_MAX = 366;
const DAY_COUNTS = { "7d": 7, "30d": 30, "90d": 90 } as const;

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** Days exist that have 23 or 25 hours, so dates are counted and not hours. */
const dayAfter = (day: string, count: number) =>
  dateOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS);

function dayStarts(last: string, count: number, zone: string): readonly number[] {
  return Array.from({ length: count }, (_, place) => {
    const day = dayAfter(last, place + 1 - count);
    // The rare day that a zone has left out begins when the next one does.
    return startOfDay(day, zone) ?? startOfDay(dayAfter(day, 1), zone) ?? 0;
  });
}

function daysSpan(last: string, count: number, zone: string): Span {
  const after = dayAfter(last, 1);
  return {
    by: "day",
    steps: dayStarts(last, count, zone),
    stepsBefore: dayStarts(dayAfter(last, -count), count, zone),
    end: startOfDay(after, zone) ?? 0,
    before: count === 1 ? "the day before" : `the ${count} days before`,
  };
}

/** The last hours, each as the clocks of the zone show it, also where they are half an hour off. */
function hoursSpan(now: number, zone: string): Span {
  const midnight = startOfDay(dayInZone(now, zone), zone) ?? 0;
  const last = midnight + Math.floor((now - midnight) / HOUR_MS) * HOUR_MS;
  const back = Array.from({ length: HOURS }, (_, place) => HOURS - 1 - place);
  const steps = back.map((hours) => last - hours * HOUR_MS);
  return {
    by: "hour",
    steps,
    stepsBefore: steps.map((at) => at - HOURS * HOUR_MS),
    end: last + HOUR_MS,
    before: "the 24 hours before",
  };
}

/** The days between two that somebody chose; undefined if there are none, or too many. */
function chosenSpan(from: string, to: string, zone: string): Span | undefined {
  if (startOfDay(from, zone) === undefined || startOfDay(to, zone) === undefined) return undefined;
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return count < 1 || count > DAYS_MAX ? undefined : daysSpan(to, count, zone);
}

/** The steps of a range in the time zone of the shop. Undefined if its days cannot be shown. */
export function spanOf({ range, from, to }: Range, zone: string, now: number): Span | undefined {
  if (range === "24h") return hoursSpan(now, zone);
  if (range !== "days") return daysSpan(dayInZone(now, zone), DAY_COUNTS[range], zone);
  return chosenSpan(from ?? "", to ?? "", zone);
}

/** The last week, to choose other days from. */
export function lastWeek(
  zone: string,
  now: number,
): { readonly from: string; readonly to: string } {
  const to = dayInZone(now, zone);
  return { from: dayAfter(to, -6), to };
}

/** Whether days of the zone begin within an hour of UTC. */
export const splitsHours = ({ steps }: Span) => steps.some((start) => start % HOUR_MS !== 0);

/** How many minutes at the start of a step are in an hour that began in the step before. */
export function minutesBefore(
  { steps, end }: Span,
  hours: readonly { readonly start: string }[],
): number {
  const borders = [...steps, end];
  const shifted = hours.map(({ start }) => {
    const hourEnd = Date.parse(start) + HOUR_MS;
    const ms = hourEnd - (borders[stepAt(borders, hourEnd - 1)] ?? hourEnd);
    return ms < HOUR_MS ? ms : 0;
  });
  return Math.max(0, ...shifted) / MINUTE_MS;
}

/** The position of the step that contains a time, or -1. */
export function stepAt(steps: readonly number[], at: number): number {
  return steps.findLastIndex((step) => step <= at);
}

/** What happened in the time before, as far as this one has come. */
export function reachedBefore<Item extends { readonly start: string }>(
  { steps, stepsBefore }: Span,
  items: readonly Item[],
  now: number,
): readonly Item[] {
  const until = (stepsBefore[0] ?? 0) + now - (steps[0] ?? 0);
  return items.filter(({ start }) => Date.parse(start) < until);
}
