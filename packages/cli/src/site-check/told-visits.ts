import type { AdminClient } from "../admin-client.js";
import type { SiteBody } from "../find-site.js";
import type { SiteFinding } from "./finding.js";

interface ToldVisit {
  readonly observed_at: string;
  readonly off_site: boolean;
  readonly page_url?: string;
}

const TOLD = {
  beacon: {
    item: "beacons",
    none: "no page has reported a visit yet",
    first: "Open a page with the script.",
    astray: "Check whether the script is on a page of another site.",
  },
  edge: {
    item: "edge reports",
    none: "no worker or plugin has reported a visit yet",
    first: "Open a page of the site.",
    astray: "Check that the plugin's `site` is the address of this site.",
  },
} as const;

/** What Gatehouse was told of the site's visitors lately, by its pages or by its edge. */
export async function checkVisits(
  client: AdminClient,
  { site_key_hash, domain }: SiteBody,
  source: keyof typeof TOLD,
): Promise<SiteFinding> {
  const { item, none, first, astray } = TOLD[source];
  const path = `/v1/admin/sites/${site_key_hash}/visits?limit=1&source=${source}`;
  const [last] = (await client.call<{ items: ToldVisit[] }>("GET", path)).items;
  if (last === undefined) return { item, state: "missing", found: none, advice: first };
  if (last.off_site) {
    const observation = `the last visit, at ${last.observed_at}, was to ${last.page_url}, not to ${domain}`;
    return { item, state: "wrong", found: observation, advice: astray };
  }
  return { item, state: "good", found: `last visit at ${last.observed_at}` };
}

/** Whether anybody may still report what an edge sees; undefined where no edge was ever set up. */
export async function checkEdgeTokens(
  client: AdminClient,
  { site_key_hash, domain }: SiteBody,
): Promise<SiteFinding | undefined> {
  const item = "edge tokens";
  const path = `/v1/admin/sites/${site_key_hash}/edge-tokens?limit=200`;
  let [live, revoked] = [0, 0];
  for await (const { revoked_at } of client.pages<{ revoked_at: string | null }>(path)) {
    if (revoked_at === null) live++;
    else revoked++;
  }
  if (live + revoked === 0) return undefined;
  if (live > 0) return { item, state: "good", found: `${live} live` };
  const advice = `Create a new one: \`gatehouse token create --role edge --name … --site ${domain}\`.`;
  return { item, state: "wrong", found: "all are revoked, so reports are refused", advice };
}
