import { type Beacon, classifyCaller } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import type { Site } from "../owners/sites/site.js";
import type { Visit } from "../owners/visits/visit.js";

/** A page's clock may be wrong; one further off than this is not believed. */
const OBSERVED_OFF_MS_MAX = 24 * 3_600_000;

/** Whether a page stands on the site's own domain, or below it. */
function isOfSite(host: string, { domain }: Site): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** The visit a beacon tells of. Whatever it claims, it is never a verified agent's. */
function visitOf({ ids, clock }: Context, site: Site, beacon: Beacon): Visit {
  const now = clock.now();
  const { classification, agent } = classifyCaller(beacon);
  const off = Math.abs(beacon.observedAt - now) > OBSERVED_OFF_MS_MAX;
  return {
    visitId: ids.id("vis"),
    siteKeyHash: site.siteKeyHash,
    observedAt: off ? now : beacon.observedAt,
    receivedAt: now,
    source: "beacon",
    classification,
    agent: agent ?? null,
    signature: null,
    pageUrl: beacon.page?.url ?? null,
    offSite: beacon.page !== undefined && !isOfSite(beacon.page.host, site),
  };
}

/** Takes a page load down. Resolved, it is durable. */
export function recordBeacon(context: Context, site: Site, beacon: Beacon): Promise<void> {
  return context.visits.add([visitOf(context, site, beacon)]);
}
