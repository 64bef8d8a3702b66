import { dayInZone } from "@gatehouse/protocol";
import { DAY_MS } from "./time-units.js";

/** A time in full, with the time zone named. */
export function fullTime(iso: string, timeZone: string): string {
  return new Date(iso).toLocaleString(undefined, {
    timeZone,
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
}

/** A time as short as it can be understood in a list: without what is the same as now. */
export function shortTime(iso: string, timeZone: string, now = Date.now()): string {
  const at = new Date(iso);
  const day = dayInZone(at.getTime(), timeZone);
  const today = dayInZone(now, timeZone);
  const time = at.toLocaleTimeString(undefined, { timeZone, hour: "numeric", minute: "2-digit" });
  if (day === today) return time;
  // Midday of a date is on that date, however long the day is.
  const yesterday = dayInZone(Date.parse(`${today}T12:00:00Z`) - DAY_MS, "UTC");
  if (day === yesterday) return `Yesterday ${time}`;
  const year = day.slice(0, 4) === today.slice(0, 4) ? {} : ({ year: "numeric" } as const);
  const date = at.toLocaleDateString(undefined, {
    timeZone,
    month: "short",
    day: "numeric",
    ...year,
  });
  return `${date}, ${time}`;
}
