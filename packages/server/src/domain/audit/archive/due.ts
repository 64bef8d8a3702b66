import type { Queries } from "../../../infra/db/database.js";
import { DAY_MS } from "../../../infra/time.js";
import { dayOf, type LogHead, startOfDay } from "../log.js";
import { recordedAt } from "../records/store.js";
import { sizeBefore } from "../size-before.js";
import { archivedEnd } from "./store.js";

/**
 * Closed days that always stay in the database. A process that loses its connection in mid-commit looks
 * for its record within seconds, and clocks of nodes differ by minutes, so nothing looks back a day.
 */
export const KEPT_DAYS_MIN = 1;

/** The day before which days may be archived when this many closed ones stay. */
export function archiveBefore(now: number, keepDays: number): string {
  return dayOf(now - Math.max(keepDays, KEPT_DAYS_MIN) * DAY_MS);
}

/** A day of a log that can be archived. */
export interface DueDay {
  readonly chain: string;
  readonly day: string;
  readonly firstSeq: number;
  readonly count: number;
}

/** The oldest days of a log that are not archived and lie before a day, oldest first. */
export async function dueDays(
  db: Queries,
  { chain, size }: LogHead,
  before: string,
  limit: number,
): Promise<DueDay[]> {
  const days: DueDay[] = [];
  let firstSeq = await archivedEnd(db, chain);
  while (firstSeq < size && days.length < limit) {
    const at = await recordedAt(db, chain, firstSeq);
    // Another node is archiving it: it is no longer due.
    if (at === undefined) break;
    const day = dayOf(at);
    if (day >= before) break;
    const end = await sizeBefore(db, chain, size, (startOfDay(day) as number) + DAY_MS);
    days.push({ chain, day, firstSeq, count: end - firstSeq });
    firstSeq = end;
  }
  return days;
}
