import type { Context } from "../../context.js";
import { hasKeptAnswers } from "../../domain/decisions/kept/store.js";
import { findSite, hashesOf, type SiteNaming } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";

/** A site that mandates are sent to. A deleted site only repeats earlier answers. */
export type MandateSite =
  | { readonly kind: "known"; readonly site: Site }
  | { readonly kind: "deleted"; readonly siteKeyHash: string };

/** A deleted site whose answers are kept, by its key or hash. */
export async function deletedSite(
  { db }: Context,
  name: string,
  naming: SiteNaming,
): Promise<string | undefined> {
  for (const hash of await hashesOf(name, naming)) {
    if (await hasKeptAnswers(db, hash)) return hash;
  }
  return undefined;
}

/** The site of a key. A cached site that is not verified is read again: it may be verified by now. */
export async function siteForMandates(
  context: Context,
  siteKey: string,
): Promise<MandateSite | undefined> {
  const { db, liveSites } = context;
  const cached = liveSites.ready(siteKey) ?? (await liveSites.find(siteKey));
  const isCurrent = cached?.site.siteKey === siteKey && cached.site.status === "verified";
  const site = isCurrent ? cached.site : await findSite(db, siteKey, "key");
  if (site !== undefined) return { kind: "known", site };
  const siteKeyHash = await deletedSite(context, siteKey, "key");
  return siteKeyHash === undefined ? undefined : { kind: "deleted", siteKeyHash };
}
