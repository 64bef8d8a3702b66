import type { Context } from "../context.js";
import {
  forgetBeyond,
  forgetHours,
  forgetVisits,
  sitesWithVisits,
} from "../owners/visits/store.js";

const DAY_MS = 86_400_000;
/** How long single visits are kept. */
const VISIT_DAYS_MAX = 90;
/** How long the counts by hour are kept. */
const HOUR_DAYS_MAX = 800;
/** Single visits one site may have; the oldest go first. */
const VISITS_PER_SITE_MAX = 1_000_000;

/** Forgets what is too old, or too much. Counts by hour outlive the visits they were made of. */
export async function forgetOldVisits(
  { db, clock }: Context,
  stopping: () => boolean,
): Promise<void> {
  const now = clock.now();
  await forgetHours(db, now - HOUR_DAYS_MAX * DAY_MS);
  for (const site of await sitesWithVisits(db)) {
    if (stopping()) return;
    await forgetVisits(db, site, now - VISIT_DAYS_MAX * DAY_MS);
    await forgetBeyond(db, site, VISITS_PER_SITE_MAX);
  }
}
