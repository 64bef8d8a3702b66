import { type LiveSkill, liveSkills, type SiteSnapshot, siteSnapshot } from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";
import { sells } from "./gates.js";
import type { Site } from "./site.js";

/** The site as agents may see it: the value every document of it is made from. */
export function snapshotOf(site: Site, baseUrl: string): SiteSnapshot {
  const verified = site.status === "verified";
  const changedAt = isoTime(site.changedAt);
  return siteSnapshot({ ...site, verified, changedAt, sells: sells(site) }, baseUrl);
}

/** What agents can use of a site now. */
export function skillsOf(site: Site): readonly LiveSkill[] {
  return liveSkills(site.skills, site.name, sells(site));
}
