import { isSiteKey, isSiteKeyHash, siteKeyHash } from "@gatehouse/protocol";
import { adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import type { Terminal } from "../terminal.js";

/** The admin path of a site's log. Logs outlive their sites: a key or its hash is enough. */
export async function logPath(terminal: Terminal, text: string, rest: string): Promise<string> {
  const named = isSiteKey(text) ? await siteKeyHash(text) : text;
  const hash = isSiteKeyHash(named)
    ? named
    : (await findSite(adminClient(terminal), text)).site_key_hash;
  return `/v1/admin/sites/${hash}/audit/${rest}`;
}
