import type { AdminClient } from "../admin-client.js";
import type { SiteBody } from "../find-site.js";
import { checkDocuments } from "./documents.js";
import { fetchPage, type LookedAt, servedPage } from "./fetch-page.js";
import type { SiteFinding } from "./finding.js";
import { checkGates, checkOffer, checkPause, checkPayments, gatesOf } from "./gates.js";
import { checkHomePage } from "./home-page.js";
import { checkAuditLog, checkPlatforms } from "./safety.js";
import { checkEdgeTokens, checkVisits } from "./told-visits.js";

function checkDomain({ domain, status, verification }: SiteBody): SiteFinding {
  const item = "domain";
  if (status === "verified") {
    const { problem, method, checked_at } = verification;
    if (method === "operator") {
      return { item, state: "missing", found: "Confirmed by the operator, not checked." };
    }
    const looked = checked_at === null ? "" : `, last checked ${checked_at}`;
    if (problem === null) return { item, state: "good", found: `verified (${method})${looked}` };
    return { item, state: "wrong", found: `the proof has a problem: ${problem}` };
  }
  const advice = `\`gatehouse site show ${domain}\` shows how to verify it.`;
  return { item, state: "wrong", found: "not verified: agents cannot see the site yet", advice };
}

async function checkRobots(at: LookedAt, site: SiteBody): Promise<SiteFinding> {
  const item = "/robots.txt";
  const robots = servedPage(await fetchPage(item, at, "follow"));
  const text = robots.kind === "page" ? robots.text : "";
  const maps = [...text.matchAll(/^agentmap:\s*(\S+)/gim)].map(([, address]) => address ?? "");
  const ours = maps.some((map) => map.includes(site.site_key) || map.endsWith("/ard.json"));
  if (ours) return { item, state: "good", found: "links to the catalog (Agentmap)" };
  const advice = `Add the lines from \`gatehouse site preview ${site.domain} --document robots\`.`;
  return { item, state: "missing", found: "does not link to the catalog", advice };
}

/** Looks at a site from outside, as agents do, and at what Gatehouse has heard of it. */
export async function checkSite(
  client: AdminClient,
  site: SiteBody,
  at: LookedAt,
): Promise<readonly SiteFinding[]> {
  const home = await checkHomePage(at, site);
  const reachable = home.every(({ found }) => !/cannot be reached|does not answer/.test(found));
  // Before the domain is verified there is no document to compare with.
  const gates = await gatesOf(client, site);
  const comparable = reachable && site.status === "verified";
  const documents = comparable ? await checkDocuments(at, site, gates.offered.length > 0) : [];
  const robots = reachable ? [await checkRobots(at, site)] : [];
  const tokens = await checkEdgeTokens(client, site);
  return [
    checkDomain(site),
    ...home,
    ...documents,
    ...robots,
    await checkVisits(client, site, "beacon"),
    ...(tokens === undefined ? [] : [tokens]),
    await checkVisits(client, site, "edge"),
    ...checkPause(site),
    ...(await checkPayments(client, site)),
    ...(await checkPlatforms(client, site, gates.sells)),
    ...(await checkAuditLog(client, site)),
    ...checkGates(gates),
    ...checkOffer(gates),
  ];
}
