import { type SiteBody, scriptTag, serviceOf } from "../find-site.js";
import { blockedBy } from "./content-policy.js";
import { elementsOf } from "./elements.js";
import { type FetchedPage, fetchPage, type LookedAt, servedPage } from "./fetch-page.js";
import { INSTALL_GUIDE, type SiteFinding } from "./finding.js";

const SCRIPT_TAG = "script tag";

function scriptFindings(page: FetchedPage, site: SiteBody): readonly SiteFinding[] {
  const item = SCRIPT_TAG;
  const service = serviceOf(site);
  const tags = elementsOf(page.text, "script").filter(
    (script) => script.get("src") === `${service}/embed.js`,
  );
  const own = tags.find((script) => script.get("data-site-key") === site.site_key);
  if (own === undefined && tags.length > 0) {
    const observation = "on the home page, but with the key of another site";
    return [
      { item, state: "wrong", found: observation, advice: `Use this tag: ${scriptTag(site)}` },
    ];
  }
  if (own === undefined) {
    const advice = `Add it to your pages, unless a worker or plugin counts visits: ${scriptTag(site)}`;
    return [{ item, state: "missing", found: "not on the home page", advice }];
  }
  const policy = page.headers["content-security-policy"];
  const blocked = policy && blockedBy(policy, new URL(service), own.get("nonce"));
  if (!blocked) return [{ item, state: "good", found: "on the home page" }];
  const observation = `on the home page, but \`${blocked.directive}\` of the content security policy blocks it`;
  return [{ item, state: "wrong", found: observation, advice: blocked.advice }];
}

function linkFinding({ text }: FetchedPage, { domain }: SiteBody, script: boolean): SiteFinding {
  const item = "links";
  const rels = elementsOf(text, "link").map((link) => link.get("rel") ?? "");
  if (["ard", "ai-catalog"].some((rel) => rels.includes(rel))) {
    return { item, state: "good", found: "the home page links to the catalog" };
  }
  const advice = `For agents that do not run scripts, add \`<link>\` elements to the head (\`gatehouse site preview ${domain} --document head\`) or serve the documents at /.well-known/: ${INSTALL_GUIDE}.`;
  return script
    ? { item, state: "good", found: "added by the script, for agents that run scripts", advice }
    : { item, state: "missing", found: "the home page does not link to the catalog", advice };
}

/** What the home page says to agents, and whether its script can work. */
export async function checkHomePage(at: LookedAt, site: SiteBody): Promise<SiteFinding[]> {
  const item = "home page";
  const page = servedPage(await fetchPage("/", at, "follow"));
  if (page.kind === "fault") {
    const observation = page.fault;
    const tls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(observation);
    const advice = tls
      ? "Agents refuse a site whose certificate they cannot verify."
      : "Agents start here. Is the site up?";
    return [
      { item, state: "wrong", found: `${at.site.origin}/ ${observation}`, advice },
      { item: SCRIPT_TAG, state: "missing", found: "not checked: the home page cannot be read" },
    ];
  }
  const scripts = scriptFindings(page, site);
  const runs = scripts.some(({ state }) => state === "good");
  const reached: SiteFinding = { item, state: "good", found: `${at.site.origin}/ answers` };
  return [reached, ...scripts, linkFinding(page, site, runs)];
}
