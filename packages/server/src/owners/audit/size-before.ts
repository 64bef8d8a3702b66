import type { Queries } from "../../platform/db/database.js";
import { archivedBeforeDay, archivedEnd } from "./archive/store.js";
import { dayOf } from "./log.js";
import { recordedAt } from "./store.js";

/**
 * How many records of a log were written before a moment. Their times never go back, so halving
 * finds it in a few reads and no index has to be kept up. Of archived days only where each ends is
 * known: for a moment within one, those of the days before it.
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
      // Archived since this began: then it begins again behind that.
      if ((await archivedEnd(db, chain)) > archived) return sizeBefore(db, chain, size, moment);
      throw new Error(`record ${middle} of ${chain} is missing`);
    }
    if (at < moment) from = middle + 1;
    else to = middle;
  }
  return from;
}
