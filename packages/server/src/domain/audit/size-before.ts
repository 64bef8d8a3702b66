import type { Queries } from "../../infra/db/database.js";
import { archivedBeforeDay, archivedEnd } from "./archive/store.js";
import { dayOf } from "./log.js";
import { recordedAt } from "./records/store.js";

/**
 * The number of records of a log before a time. Times in a log never go back, so a binary search
 * finds it in a few reads without an index. Only the end of each archived day is known: for a time
 * within such a day, this counts the days before it.
 */
export async function sizeBefore(
  db: Queries,
  chain: string,
  size: number,
  moment: number,
): Promise<number> {
  const archived = await archivedEnd(db, chain);
  const before = await archivedBeforeDay(db, chain, dayOf(moment));
  if (before < archived) return before;
  let [from, to] = [archived, size];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const at = await recordedAt(db, chain, middle);
    if (at === undefined) {
      // A part was archived in the meantime, so this begins again after it.
      if ((await archivedEnd(db, chain)) > archived) return sizeBefore(db, chain, size, moment);
      throw new Error(`record ${middle} of ${chain} is missing`);
    }
    if (at < moment) from = middle + 1;
    else to = middle;
  }
  return from;
}
