import {
  type Beacon,
  type Classified,
  classifyCaller,
  type ReportedVisit,
  signingAgent,
  type VisitedPage,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import { isOwnCheck } from "../../domain/visits/own-check.js";
import {
  hourOf,
  type NewVisit,
  type Visit,
  type VisitSignature,
} from "../../domain/visits/visit.js";
import { DAY_MS } from "../../infra/time.js";

/** A reported time that differs more than this from our clock is replaced by our time. */
const OBSERVED_OFF_MS_MAX = DAY_MS;

/** Whether a host is the site's domain or a subdomain of it. */
function isOfSite(host: string, { domain }: Site): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** The source of a visit, and who the visitor is. */
interface Observation {
  readonly source: Visit["source"];
  readonly classified: Classified;
  readonly signature: VisitSignature | null;
}

function visitOf(
  { ids, clock }: Context,
  site: Site,
  { observedAt, page }: { readonly observedAt: number; readonly page: VisitedPage | undefined },
  { source, classified, signature }: Observation,
): NewVisit {
  const now = clock.now();
  const isOff = Math.abs(observedAt - now) > OBSERVED_OFF_MS_MAX;
  const at = isOff ? now : observedAt;
  return {
    visitId: ids.timeId("vis", now),
    siteKeyHash: site.siteKeyHash,
    observedAt: at,
    hour: hourOf(at, site.hourStartMinute),
    receivedAt: now,
    source,
    classification: classified.classification,
    agent: classified.agent ?? null,
    signature,
    pageUrl: page?.url ?? null,
    offSite: page !== undefined && !isOfSite(page.host, site),
  };
}

/**
 * Stores a page load; it is durable when the promise resolves. A beacon proves nothing, so its visitor is
 * never verified.
 */
export function recordBeacon(context: Context, site: Site, beacon: Beacon): Promise<void> {
  const classified = classifyCaller(beacon);
  const observation: Observation = { source: "beacon", classified, signature: null };
  return context.visits.add([visitOf(context, site, beacon, observation)]);
}

/** A signature that is valid for another host proves nothing for this site. */
function signatureOf({ signature, page }: ReportedVisit, site: Site): VisitSignature | null {
  if (signature === undefined) return null;
  if (signature.outcome !== "verified") return signature;
  const here = page !== undefined && isOfSite(page.host, site);
  return here ? signature : { ...signature, outcome: "unverified", reason: "another_host" };
}

function classify(userAgent: string, signature: VisitSignature | null): Classified {
  if (signature?.outcome !== "verified" || signature.agentUrl === null) {
    // Browsers of people do not sign requests, so any signature means a program.
    return classifyCaller({ userAgent, webdriver: signature !== null });
  }
  // Only the key names the agent, because its user agent may contain the name of another one.
  const { name, operator } = signingAgent(signature.agentUrl);
  return { classification: "verified_agent", agent: { name, operator } };
}

/**
 * Stores the visits that the site's edge reports; they are durable when the promise resolves. Checks of the site by
 * this service are no visits.
 */
export async function recordReport(
  context: Context,
  site: Site,
  reported: readonly ReportedVisit[],
): Promise<void> {
  const now = context.clock.now();
  const visits = reported.filter(
    ({ userAgent }) => !isOwnCheck(context, site.siteKeyHash, userAgent, now),
  );
  if (visits.length === 0) return;
  await context.visits.add(
    visits.map((visit) => {
      const signature = signatureOf(visit, site);
      const classified = classify(visit.userAgent, signature);
      return visitOf(context, site, visit, { source: "edge", classified, signature });
    }),
  );
}
