import { DAY_MS } from "./words.js";

/** The start of a day (`2030-05-17`) in the reader's time zone. Undefined if it is not a day. */
export function dayStart(day: string | undefined): string | undefined {
  const at = new Date(`${day ?? ""}T00:00:00`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The end of a day: the start of the next one. */
export function dayEnd(day: string | undefined): string | undefined {
  const start = dayStart(day);
  if (start === undefined) return undefined;
  const next = new Date(Date.parse(start) + DAY_MS + DAY_MS / 2);
  next.setHours(0, 0, 0, 0);
  return next.toISOString();
}
