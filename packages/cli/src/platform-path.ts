import { parseUrl } from "@gatehouse/protocol";
import { adminClient } from "./admin-client.js";
import { findSite } from "./find-site.js";
import type { Terminal } from "./terminal.js";

/** A platform by the address of its profile, or by its host alone. */
export const hostOf = (text: string) =>
  (text.includes("://") ? parseUrl(text)?.hostname : text) ?? text;

/** The address of a site's platforms in the admin API, and the client that asks it. */
export async function pathToPlatforms(terminal: Terminal, site: string, rest: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  return { client, path: `/v1/admin/sites/${site_key_hash}/platforms${rest}` };
}

/** The same for one platform. */
export function pathToPlatform(terminal: Terminal, site: string, named: string, rest = "") {
  return pathToPlatforms(terminal, site, `/${encodeURIComponent(hostOf(named))}${rest}`);
}

/** What is said when the list has no such platform. */
export const noPlatform = (site: string) => ({
  says: "This platform is not in the list.",
  hint: `\`gatehouse platform list ${site}\` shows the list. To add a platform: \`gatehouse platform admit ${site} <domain>\`.`,
});
