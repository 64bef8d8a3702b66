import { isSiteKey, isSiteKeyHash, siteKeyHash } from "@gatehouse/protocol";
import type { Queries } from "../../infra/db/database.js";
import type { Site } from "./site.js";
import { siteByHash } from "./store.js";

/** What a route takes to name a site: the key, its hash, or either. */
export type SiteNaming = "key" | "hash" | "either";

/** The hashes a text may stand for. An older key can have the form of a hash, so both are tried. */
export async function hashesOf(text: string, naming: SiteNaming): Promise<readonly string[]> {
  const hashes: string[] = [];
  if (naming !== "hash" && isSiteKey(text)) hashes.push(await siteKeyHash(text));
  if (naming !== "key" && isSiteKeyHash(text)) hashes.push(text);
  return hashes;
}

export async function findSite(
  db: Queries,
  text: string,
  naming: SiteNaming,
): Promise<Site | undefined> {
  for (const hash of await hashesOf(text, naming)) {
    const site = await siteByHash(db, hash);
    if (site !== undefined) return site;
  }
  return undefined;
}
