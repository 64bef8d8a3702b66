import { DAY_MS, SECOND_MS } from "./time.js";

const DAY = /^\d{4}-\d\d-\d\d$/;

const dateText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** What the clocks of a time zone show, as if they showed UTC. */
function wallClock(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}

/**
 * The day of a moment in a time zone.
 *
 * @example
 * dayInZone(Date.parse("2030-05-17T23:30:00Z"), "Europe/Berlin"); //=> "2030-05-18"
 */
export function dayInZone(at: number, timeZone: string): string {
  return dateText(wallClock(at, timeZone));
}

/**
 * When a day begins in a time zone, in milliseconds. Undefined if there is no such day.
 *
 * @example
 * new Date(startOfDay("2030-05-17", "Europe/Berlin")).toISOString(); //=> "2030-05-16T22:00:00.000Z"
 */
export function startOfDay(day: string, timeZone: string): number | undefined {
  const utc = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(utc) || dateText(utc) !== day) return undefined;
  // The clocks may change on the day itself, so both offsets are tried.
  const starts = [utc - DAY_MS, utc + DAY_MS]
    .map((at) => utc - (wallClock(at, timeZone) - Math.floor(at / SECOND_MS) * SECOND_MS))
    .filter((at) => dayInZone(at, timeZone) === day);
  return starts.length === 0 ? undefined : Math.min(...starts);
}

/**
 * When a day ends in a time zone: the start of the next one. Undefined if there is no such day.
 *
 * @example
 * new Date(endOfDay("2030-05-17", "Asia/Tokyo")).toISOString(); //=> "2030-05-17T15:00:00.000Z"
 */
export function endOfDay(day: string, timeZone: string): number | undefined {
  if (startOfDay(day, timeZone) === undefined) return undefined;
  return startOfDay(dateText(Date.parse(`${day}T00:00:00Z`) + DAY_MS), timeZone);
}
