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

/**
 * Deletes visits that are too old, and the oldest visits of a site that has too many. Counts by hour are
 * kept longer than the visits.
 */
export async function deleteExpiredVisits(
  { db, clock, config }: Context,
  stopping: () => boolean,
): Promise<void> {
  const now = clock.now();
  await deleteHoursBefore(db, now - HOUR_DAYS_MAX * DAY_MS);
  for (const site of await sitesWithVisits(db)) {
    if (stopping()) return;
    await deleteVisitsBefore(db, site, now - VISIT_DAYS_MAX * DAY_MS);
    // Separate limits, because anybody can send beacons, and they must not displace visits from an edge.
    await deleteExcessVisits(db, site, "beacon", config.limits.BEACON_VISITS_KEPT_PER_SITE);
    await deleteExcessVisits(db, site, "edge", config.limits.EDGE_VISITS_KEPT_PER_SITE);
  }
}
