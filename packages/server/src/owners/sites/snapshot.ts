import { type SiteSnapshot, siteSnapshot } from "@gatehouse/protocol";
import { isoTime } from "../../platform/clock.js";
import type { Site } from "./site.js";

/** The site as agents may see it: the value every document of it is made from. */
export function snapshotOf(site: Site, baseUrl: string): SiteSnapshot {
  const verified = site.status === "verified";
  return siteSnapshot({ ...site, verified, changedAt: isoTime(site.changedAt) }, baseUrl);
}
