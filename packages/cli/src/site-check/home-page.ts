import type { DefaultTreeAdapterTypes } from "parse5";
import { parse } from "parse5";
import { type SiteBody, serviceOf } from "../find-site.js";
import { type FetchedPage, fetchPage } from "./fetch-page.js";
import { INSTALL_GUIDE, type SiteFinding } from "./finding.js";

type Attributes = ReadonlyMap<string, string>;

/** The elements of a name, by their attributes, as a browser would read the page. */
function elementsOf(html: string, tagName: string): Attributes[] {
  const found: Attributes[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(html)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("childNodes" in node) waiting.push(...node.childNodes);
    if (!("tagName" in node) || node.tagName !== tagName) continue;
    found.push(new Map(node.attrs.map(({ name, value }) => [name, value])));
  }
  return found;
}

/** The sources a policy allows for one thing; undefined where it says nothing of it. */
function allowedBy(policy: string, directive: string): readonly string[] | undefined {
  const directives = policy.split(";").map((text) => text.trim().split(/\s+/));
  const of = (name: string) => directives.find(([first]) => first?.toLowerCase() === name);
  return (of(directive) ?? of("default-src"))?.slice(1);
}

/** Whether the page's own policy lets the script tell of the page. */
function policyFinding({ headers }: FetchedPage, service: string): SiteFinding | undefined {
  const item = "content security policy";
  const allowed = allowedBy(headers.get("content-security-policy") ?? "", "connect-src");
  if (allowed === undefined) return undefined;
  const { origin, host, protocol } = new URL(service);
  if ([origin, host, "*", protocol].some((source) => allowed.includes(source))) {
    return { item, state: "good", found: "lets pages tell Gatehouse of their visitors" };
  }
  const found = `\`connect-src\` does not list ${origin}, so no page can tell of a visitor`;
  return { item, state: "wrong", found, advice: `Add ${origin} to \`connect-src\`.` };
}

function scriptFinding(page: FetchedPage, site: SiteBody, service: string): SiteFinding {
  const item = "script tag";
  const keys = elementsOf(page.text, "script")
    .filter((script) => script.get("src") === `${service}/embed.js`)
    .map((script) => script.get("data-site-key"));
  const tag = `<script async src="${service}/embed.js" data-site-key="${site.site_key}"></script>`;
  if (keys.includes(site.site_key)) return { item, state: "good", found: "on the home page" };
  if (keys.length > 0) {
    const found = "on the home page, with the key of another site";
    return { item, state: "wrong", found, advice: `Paste: ${tag}` };
  }
  const advice = `Paste it into your pages, unless a worker or plugin counts visits: ${tag}`;
  return { item, state: "missing", found: "not on the home page", advice };
}

/** What the home page says to agents, and whether its script can work. */
export async function checkHomePage(origin: string, site: SiteBody): Promise<SiteFinding[]> {
  const item = "home page";
  const page = await fetchPage(`${origin}/`, "follow");
  if ("fault" in page || page.status !== 200) {
    const found = "fault" in page ? page.fault : `answers with status ${page.status}`;
    const advice = "Agents start here. Is the site up, and is its certificate valid?";
    return [{ item, state: "wrong", found: `${origin}/ ${found}`, advice }];
  }
  const service = serviceOf(site);
  const script = scriptFinding(page, site, service);
  const policy = script.state === "good" ? policyFinding(page, service) : undefined;
  const rels = elementsOf(page.text, "link").map((link) => link.get("rel") ?? "");
  const linked = ["ard", "ai-catalog"].some((rel) => rels.includes(rel));
  const links: SiteFinding = linked
    ? { item: "links", state: "good", found: "the home page names the catalog" }
    : {
        item: "links",
        state: script.state === "good" ? "good" : "missing",
        found:
          script.state === "good"
            ? "added by the script for agents that run it"
            : "the home page does not name the catalog",
        advice: `Agents that run no script find it by \`<link>\`s in the head (\`gatehouse site preview … --document head\`) or at /.well-known/: ${INSTALL_GUIDE}.`,
      };
  const reached: SiteFinding = { item, state: "good", found: `${origin}/ answers` };
  return [reached, script, ...(policy === undefined ? [] : [policy]), links];
}
