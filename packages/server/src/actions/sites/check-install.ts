import { buyingText, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { countLiveEdgeTokens, listEdgeTokens } from "../../domain/access/edge/store.js";
import {
  type InstallFinding,
  lastCheck,
  writeLastCheck,
} from "../../domain/install-checks/store.js";
import type { Site } from "../../domain/sites/site.js";
import { lockSite } from "../../domain/sites/store.js";
import { lastVisit } from "../../domain/visits/store.js";
import type { Visit } from "../../domain/visits/visit.js";
import { isoTime } from "../../infra/clock.js";
import { takeExact } from "../../infra/rate-limit/exact.js";
import { checkDocuments } from "../documents/check-documents.js";
import { obstaclesOf, offerOf } from "./offer.js";

/** Each check requests documents from the site: ten checks at once, then six a minute. */
const CHECK_RATE = { perMinute: 6, burst: 10 };

interface InstallCheck {
  readonly items: readonly InstallFinding[];
  /** When the documents were fetched; null if they never were. */
  readonly checkedAt: number | null;
}

function checkDomain({ status, verification }: Site): InstallFinding {
  const item = "domain";
  const { problem, method, checkedAt } = verification;
  if (status === "verified") {
    if (method === "operator") {
      return { item, state: "unchecked", found: "Confirmed by the operator, not checked." };
    }
    if (problem !== null) {
      return { item, state: "wrong", found: `the proof has a problem: ${problem}` };
    }
    const checked = checkedAt === null ? "" : `, last checked ${isoTime(checkedAt)}`;
    return { item, state: "good", found: `verified (${method})${checked}` };
  }
  const why = problem === null ? "agents cannot see the site yet" : problem;
  const advice =
    "Publish the DNS record, the file or the meta tag that proves the domain. " +
    "The console shows all three in its settings, under Site.";
  const state = problem === null ? "missing" : "wrong";
  return { item, state, found: `not verified: ${why}`, advice };
}

/** The finding for the last visit that a script or an edge reported. */
function judgeVisit(
  { domain }: Site,
  item: string,
  last: Visit,
  offSiteAdvice: string,
): InstallFinding {
  const at = isoTime(last.receivedAt);
  if (!last.offSite) return { item, state: "good", found: `last visit at ${at}` };
  const page = last.pageUrl ?? "no page";
  const observation = `the last visit, at ${at}, was to ${page}, not to ${domain}`;
  return { item, state: "wrong", found: observation, advice: offSiteAdvice };
}

async function checkScript({ config, db }: Context, site: Site): Promise<InstallFinding> {
  const item = "script";
  const last = await lastVisit(db, site.siteKeyHash, "beacon");
  if (last !== undefined) {
    return judgeVisit(site, item, last, "Check whether the script is on a page of another site.");
  }
  const tag = `<script async src="${config.baseUrl}/embed.js" data-site-key="${site.siteKey}"></script>`;
  const advice = `Add ${tag} to the head of your pages, then open one of them.`;
  return { item, state: "missing", found: "no page has reported a visit yet", advice };
}

/** No finding for a site without an edge, as most sites are. */
async function checkEdge({ db }: Context, site: Site): Promise<readonly InstallFinding[]> {
  const item = "edge";
  const { siteKeyHash } = site;
  const last = await lastVisit(db, siteKeyHash, "edge");
  const tokens = await listEdgeTokens(db, siteKeyHash, { after: null, limit: 1 });
  if (last === undefined && tokens.length === 0) return [];
  if ((await countLiveEdgeTokens(db, siteKeyHash)) === 0) {
    const observation = "all edge tokens are revoked, so reports are refused";
    const advice = "Create a new edge token, and put it into the worker or the plugin.";
    return [{ item, state: "wrong", found: observation, advice }];
  }
  if (last !== undefined) {
    return [
      judgeVisit(site, item, last, "Check that the plugin's `site` is the address of this site."),
    ];
  }
  const observation = "no worker or plugin has reported a visit yet";
  return [{ item, state: "missing", found: observation, advice: "Open a page of the site." }];
}

/** No finding for a site that has never been connected to a payment processor: it need not sell. */
async function checkSelling({ db, policies }: Context, site: Site): Promise<InstallFinding[]> {
  if (site.provider === null) return [];
  const item = "selling";
  const obstacles = await obstaclesOf(db, policies, site);
  const { buying } = await offerOf(db, policies, site);
  const sentence = buyingText(buying);
  if (obstacles.length === 0) return [{ item, state: "good", found: sentence }];
  const advice = obstacles.map((obstacle) => obstacle.advice).join(" ");
  return [{ item, state: "missing", found: sentence, advice }];
}

/** What is known of a site without a request to it. */
async function knownFindings(context: Context, site: Site): Promise<InstallFinding[]> {
  const reported = [checkDomain(site), await checkScript(context, site)];
  const edge = await checkEdge(context, site);
  return [...reported, ...edge, ...(await checkSelling(context, site))];
}

/** Checks what agents find on a site and which visits were reported, with advice for the owner. */
export async function checkInstall(
  context: Context,
  site: Site,
): Promise<Result<InstallCheck, "rate_limited">> {
  const { clock, db } = context;
  const { siteKeyHash, domain } = site;
  const limit = `install-checks ${siteKeyHash}`;
  if (!(await db.transaction((tx) => takeExact(tx, limit, CHECK_RATE, clock.now())))) {
    return refuse("rate_limited", "Too many checks. Try again in a minute.");
  }
  const known = await knownFindings(context, site);
  // Before the domain is verified there are no documents, and the owner has proven nothing.
  if (site.status !== "verified") return ok({ items: known, checkedAt: clock.now() });
  const findings = await checkDocuments(context, site);
  const checkedAt = clock.now();
  await db.transaction(async (tx) => {
    // A site that was deleted meanwhile leaves nothing.
    if (await lockSite(tx, siteKeyHash))
      await writeLastCheck(tx, { siteKeyHash, domain, findings, checkedAt });
  });
  return ok({ items: [...known, ...findings], checkedAt });
}

/** What is known now, and what the last check of the documents found. Sends no request to the site. */
export async function showInstall(context: Context, site: Site): Promise<InstallCheck> {
  const known = await knownFindings(context, site);
  const last = await lastCheck(context.db, site.siteKeyHash);
  const isCurrent = site.status === "verified" && last?.domain === site.domain;
  return isCurrent
    ? { items: [...known, ...last.findings], checkedAt: last.checkedAt }
    : { items: known, checkedAt: null };
}
