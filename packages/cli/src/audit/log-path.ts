import { isSiteKey, isSiteKeyHash, siteKeyHash } from "@gatehouse/protocol";
import { adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import type { Terminal } from "../terminal.js";

/** Names the log of the installation where a site's could be named. It is no domain: it has no dot. */
const INSTALLATION = "installation";

/** What a command takes that is about a log. */
export const LOG_ARGUMENT = [
  "<site>",
  "domain, site key or site key hash; `installation` for the installation's log",
] as const;

const DELETED =
  " The log of a deleted site is kept. To read it, use the site key or the site key hash.";

/**
 * The admin path of a site's log, or of the installation's. Logs outlive their sites: a key or its
 * hash is enough.
 */
export async function logPath(terminal: Terminal, text: string, rest: string): Promise<string> {
  if (text === INSTALLATION) return `/v1/admin/installation/audit/${rest}`;
  const named = isSiteKey(text) ? await siteKeyHash(text) : text;
  const hash = isSiteKeyHash(named)
    ? named
    : (await findSite(adminClient(terminal), text, DELETED)).site_key_hash;
  return `/v1/admin/sites/${hash}/audit/${rest}`;
}
