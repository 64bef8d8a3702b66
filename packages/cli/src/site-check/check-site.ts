import type { AdminClient } from "../admin-client.js";
import type { SiteBody } from "../find-site.js";
import { checkDocuments } from "./documents.js";
import { fetchPage } from "./fetch-page.js";
import type { SiteFinding } from "./finding.js";
import { checkHomePage } from "./home-page.js";

function checkDomain({ domain, status, verification }: SiteBody): SiteFinding {
  const item = "domain";
  if (status === "verified") {
    const { problem, method } = verification;
    if (problem === null) return { item, state: "good", found: `verified (${method})` };
    return { item, state: "wrong", found: `the proof is in danger: ${problem}` };
  }
  const advice = `\`gatehouse site show ${domain}\` says how to prove it.`;
  return { item, state: "wrong", found: "not verified: agents are told nothing yet", advice };
}

async function checkRobots(origin: string, site: SiteBody): Promise<SiteFinding> {
  const item = "/robots.txt";
  const robots = await fetchPage(origin + item, "follow");
  const text = "fault" in robots || robots.status !== 200 ? "" : robots.text;
  const maps = [...text.matchAll(/^agentmap:\s*(\S+)/gim)].map(([, address]) => address ?? "");
  const ours = maps.some((map) => map.includes(site.site_key) || map.endsWith("/ard.json"));
  if (ours) return { item, state: "good", found: "names the catalog (Agentmap)" };
  const advice = `Paste the block of \`gatehouse site preview ${site.domain} --document robots\`.`;
  return { item, state: "missing", found: "does not name the catalog", advice };
}

const TOLD = {
  beacon: ["beacons", "no page has told of a visitor yet", "Open a page that carries the script."],
  edge: [
    "edge reports",
    "no worker or plugin has reported a visit yet",
    "Open a page of the site.",
  ],
} as const;

async function checkVisits(
  client: AdminClient,
  { site_key_hash }: SiteBody,
  source: keyof typeof TOLD,
): Promise<SiteFinding> {
  const [item, none, advice] = TOLD[source];
  const path = `/v1/admin/sites/${site_key_hash}/visits?limit=1&source=${source}`;
  const { items } = await client.call<{ items: { observed_at: string }[] }>("GET", path);
  const [last] = items;
  if (last === undefined) return { item, state: "missing", found: none, advice };
  return { item, state: "good", found: `the last one at ${last.observed_at}` };
}

/** Looks at a site from outside, as agents do, and at what Gatehouse has heard of it. */
export async function checkSite(
  client: AdminClient,
  site: SiteBody,
  origin: string,
): Promise<readonly SiteFinding[]> {
  const home = await checkHomePage(origin, site);
  const reachable = home.every(({ item, state }) => item !== "home page" || state === "good");
  // Before the domain is verified there is no document to compare with.
  const documents =
    reachable && site.status === "verified" ? await checkDocuments(origin, site) : [];
  const robots = reachable ? [await checkRobots(origin, site)] : [];
  const told = [await checkVisits(client, site, "beacon"), await checkVisits(client, site, "edge")];
  return [checkDomain(site), ...home, ...documents, ...robots, ...told];
}
