import {
  isSiteKey,
  isSiteKeyHash,
  type PublishedFeed,
  siteKeyHash,
  siteOrigin,
} from "@gatehouse/protocol";
import type { AdminClient, Missing } from "./admin-client.js";
import { CommandError, EXIT } from "./exit.js";

/** A site as the admin interface shows it. */
export interface SiteBody {
  readonly site_key: string;
  readonly site_key_hash: string;
  readonly domain: string;
  readonly name: string;
  readonly description: string;
  /** The picture of the shop on its public page; null if it has none. */
  readonly picture_url: string | null;
  readonly status: string;
  readonly audit_public: string;
  /** The version of UCP of the profile at the root of its domain. */
  readonly ucp_version: string;
  /** The product feeds that it publishes, and where each is. */
  readonly published_feeds: {
    readonly formats: readonly PublishedFeed[];
    readonly condition: string;
  };
  readonly google_feed_url: string;
  readonly acp_feed_url: string;
  /** Since when sales are paused; null while they are not. */
  readonly paused_at: string | null;
  readonly verification: {
    readonly method: string | null;
    readonly reason: string | null;
    readonly verified_at: string | null;
    readonly checked_at: string | null;
    readonly problem: string | null;
    readonly dns: { readonly name: string; readonly value: string };
    readonly file: { readonly url: string; readonly content: string };
    readonly meta: { readonly url: string; readonly tag: string };
  };
  readonly agent_page_url: string;
  readonly mcp_url: string;
  readonly created_at: string;
}

const noSite = (text: string): Missing => ({
  says: `There is no site for ${text}.`,
  hint: "`gatehouse site list` lists the sites.",
});

/** Few sites are named at once, so that a slip of the hand is seen. */
const NAMED_MAX = 3;

async function noDomain(client: AdminClient, text: string, advice: string): Promise<CommandError> {
  const path = `/v1/admin/sites?limit=${NAMED_MAX + 1}`;
  const { items } = await client.call<{ items: SiteBody[] }>("GET", path);
  const { says, hint } = noSite(text);
  const few = items.length > 0 && items.length <= NAMED_MAX;
  const named = few ? `Existing sites: ${items.map(({ domain }) => domain).join(", ")}. ` : "";
  return new CommandError(says, EXIT.failed, named + hint + advice);
}

/**
 * Accepts a domain, a site key, or a site key hash. `advice` says what else to do if no site has the
 * domain.
 */
export async function findSite(client: AdminClient, text: string, advice = ""): Promise<SiteBody> {
  if (isSiteKey(text)) {
    return client.callAbout(noSite(text), "GET", `/v1/admin/sites/${await siteKeyHash(text)}`);
  }
  if (isSiteKeyHash(text)) {
    return client.callAbout(noSite(text), "GET", `/v1/admin/sites/${text}`);
  }
  const domain = encodeURIComponent(text.toLowerCase());
  const { items } = await client.call<{ items: SiteBody[] }>(
    "GET",
    `/v1/admin/sites?domain=${domain}`,
  );
  const [site, second] = items;
  if (site === undefined) throw await noDomain(client, text, advice);
  if (second === undefined) return site;
  throw new CommandError(
    `There are ${items.length} sites for ${text}.`,
    EXIT.failed,
    `Choose one by its key: ${items.map((item) => item.site_key).join(", ")}`,
  );
}

/** The public address of the service, as its documents name it. */
export function serviceOf({ agent_page_url }: SiteBody): string {
  return agent_page_url.slice(0, agent_page_url.indexOf("/v1/agent/"));
}

/** The address to give to agents: that of the signed card. */
export function cardAddress(site: SiteBody): string {
  return `${serviceOf(site)}/v1/agent-card/${site.site_key}.json`;
}

/** The address to give to platforms: that of the shop's UCP profile. */
export function profileAddress(site: SiteBody): string {
  return `${serviceOf(site)}/v1/ucp/${site.site_key_hash}/profile`;
}

/** Where the site itself is: https, but on this machine. */
export const siteAddress = ({ domain }: SiteBody): string => siteOrigin(domain);

/** What goes into the head of the site's pages. */
export function scriptTag(site: SiteBody): string {
  return `<script async src="${serviceOf(site)}/embed.js" data-site-key="${site.site_key}"></script>`;
}

/** The sites that an option names. */
export async function sitesNamed(
  client: AdminClient,
  texts: readonly string[],
): Promise<SiteBody[]> {
  const sites: SiteBody[] = [];
  for (const text of texts) sites.push(await findSite(client, text));
  return sites;
}
