import type { Context } from "../../context.js";
import {
  deleteExcessVisits,
  deleteHoursBefore,
  deleteVisitsBefore,
  sitesWithVisits,
} from "../../domain/visits/store.js";
import { DAY_MS } from "../../infra/time.js";

/** How long single visits are kept. */
const VISIT_DAYS_MAX = 90;
/** How long the counts by hour are kept. */
const HOUR_DAYS_MAX = 800;

/** Forgets what is too old, or too much. Counts by hour outlive the visits they were made of. */
export async function deleteExpiredVisits(
  { db, clock, config }: Context,
  stopping: () => boolean,
): Promise<void> {
  const now = clock.now();
  await deleteHoursBefore(db, now - HOUR_DAYS_MAX * DAY_MS);
  for (const site of await sitesWithVisits(db)) {
    if (stopping()) return;
    await deleteVisitsBefore(db, site, now - VISIT_DAYS_MAX * DAY_MS);
    // Anybody can send beacons, so they never push out visits that an edge reported.
    await deleteExcessVisits(db, site, "beacon", config.limits.BEACON_VISITS_KEPT_PER_SITE);
    await deleteExcessVisits(db, site, "edge", config.limits.EDGE_VISITS_KEPT_PER_SITE);
  }
}
