import { isSiteKey, isSiteKeyHash, siteKeyHash } from "@gatehouse/protocol";
import { adminClient, type Missing } from "../admin-client.js";
import { findSite } from "../find-site.js";
import type { Terminal } from "../terminal.js";

/** Names the log of the installation where a site's could be named. It is no domain: it has no dot. */
const INSTALLATION = "installation";

/** What a command takes that is about a log. */
export const LOG_ARGUMENT = [
  "<site>",
  "domain, site key or site key hash; `installation` for the installation's log",
] as const;

/**
 * What "not found" means for a log: the installation's is hidden from tokens of sites. Undefined for
 * a site, whose own answer says best what is missing.
 */
export function noSuchLog(text: string): Missing | undefined {
  if (text !== INSTALLATION) return undefined;
  return {
    says: "This token cannot read the installation's log: it is limited to sites.",
    hint: "Use an operator's token, or an auditor's token for every site: gatehouse token create --name Auditor --role auditor",
  };
}

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
