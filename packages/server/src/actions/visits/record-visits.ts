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
import type { Visit, VisitSignature } from "../../domain/visits/visit.js";
import { DAY_MS } from "../../infra/time.js";

/** A clock elsewhere may be wrong; one further off than this is not believed. */
const OBSERVED_OFF_MS_MAX = DAY_MS;

/** Whether a page stands on the site's own domain, or below it. */
function isOfSite(host: string, { domain }: Site): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** What the door of a visit found out about it. */
interface Seen {
  readonly source: Visit["source"];
  readonly classified: Classified;
  readonly signature: VisitSignature | null;
}

function visitOf(
  { ids, clock }: Context,
  site: Site,
  { observedAt, page }: { readonly observedAt: number; readonly page: VisitedPage | undefined },
  { source, classified, signature }: Seen,
): Visit {
  const now = clock.now();
  const off = Math.abs(observedAt - now) > OBSERVED_OFF_MS_MAX;
  return {
    visitId: ids.timeId("vis", now),
    siteKeyHash: site.siteKeyHash,
    observedAt: off ? now : observedAt,
    receivedAt: now,
    source,
    classification: classified.classification,
    agent: classified.agent ?? null,
    signature,
    pageUrl: page?.url ?? null,
    offSite: page !== undefined && !isOfSite(page.host, site),
  };
}

/** Takes a page load down. Resolved, it is durable. Whatever a beacon claims, nobody is verified. */
export function recordBeacon(context: Context, site: Site, beacon: Beacon): Promise<void> {
  const classified = classifyCaller(beacon);
  const seen: Seen = { source: "beacon", classified, signature: null };
  return context.visits.add([visitOf(context, site, beacon, seen)]);
}

/** A signature that holds for another host was made for another host, and proves nothing here. */
function signatureOf({ signature, page }: ReportedVisit, site: Site): VisitSignature | null {
  if (signature === undefined) return null;
  if (signature.outcome !== "verified") return signature;
  const here = page !== undefined && isOfSite(page.host, site);
  return here ? signature : { ...signature, outcome: "unverified", reason: "another_host" };
}

function classify(userAgent: string, signature: VisitSignature | null): Classified {
  if (signature?.outcome !== "verified" || signature.agentUrl === null) {
    // People do not sign: a signature, whatever it is worth, is a program's.
    return classifyCaller({ userAgent, webdriver: signature !== null });
  }
  // By its key alone: what a verified agent says of itself may still be another's name.
  const { name, operator } = signingAgent(signature.agentUrl);
  return { classification: "verified_agent", agent: { name, operator } };
}

/** Takes down what the site's own edge tells of. Resolved, it is durable. */
export function recordReport(
  context: Context,
  site: Site,
  visits: readonly ReportedVisit[],
): Promise<void> {
  return context.visits.add(
    visits.map((visit) => {
      const signature = signatureOf(visit, site);
      const classified = classify(visit.userAgent, signature);
      return visitOf(context, site, visit, { source: "edge", classified, signature });
    }),
  );
}
