import { queryOptions, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Api } from "../api/client.js";
import { allOf } from "../api/list.js";
import { sessionQuery } from "../session/session.js";

export type Site = Api["Site"];

/** Every site that the signed-in person can see, sorted by domain. */
export const sitesQuery = queryOptions({
  queryKey: ["sites"],
  queryFn: async () => {
    const { rows } = await allOf<Site>("/v1/admin/sites", {}, () => undefined);
    return rows.toSorted((a, b) => a.domain.localeCompare(b.domain));
  },
});

/** How the address of a page names a site: by domain, or by key hash if two sites have the same domain. */
export function siteParam(site: Site, sites: readonly Site[]): string {
  const alone = sites.filter(({ domain }) => domain === site.domain).length === 1;
  return alone ? site.domain : site.site_key_hash;
}

/** The site that an address names. Of two with the same domain, the verified one. */
export function siteNamed(name: string, sites: readonly Site[]): Site | undefined {
  const matching = sites.filter(({ domain, site_key_hash }) =>
    [domain, site_key_hash].includes(name),
  );
  return matching.find(({ status }) => status === "verified") ?? matching[0];
}

/** The site of the current page. Pages are inside a frame that has found it. */
export function useSite(): { readonly site: Site; readonly name: string; readonly path: string } {
  const { site: name = "" } = useParams({ strict: false });
  const { data: sites = [] } = useQuery(sitesQuery);
  const site = siteNamed(name, sites);
  if (site === undefined) throw new Error("a page is outside the frame of a site");
  return { site, name, path: `/v1/admin/sites/${site.site_key_hash}` };
}

/** What is said of a domain that nobody has checked. */
export const UNCHECKED = "Confirmed by the operator, not checked.";

const isUnchecked = ({ status, verification }: Pick<Site, "status" | "verification">) =>
  status === "verified" && verification.method === "operator";

/** Whether a domain is proven, in a sentence. */
export function domainText(site: Site): string {
  if (isUnchecked(site)) return `${site.domain}: ${UNCHECKED}`;
  return `${site.domain} is ${site.status === "verified" ? "verified" : "not verified"}.`;
}

/** The word for the state of a site: `pending` means something else for reviews. */
export function siteState(site: Pick<Site, "status" | "verification">): string {
  const { status } = site;
  if (isUnchecked(site)) return "not_checked";
  return status === "pending" ? "not_verified" : status;
}

const RANKS = ["auditor", "reviewer", "owner", "operator"] as const;
export type Role = (typeof RANKS)[number];

/** Whether the person has a role at the current site. The service decides; this only hides controls. */
export function useMay(role: Role): boolean {
  const { data: session } = useQuery(sessionQuery);
  const { site: name } = useParams({ strict: false });
  const { data: sites = [] } = useQuery(sitesQuery);
  if (session === null || session === undefined) return false;
  const site = name === undefined ? undefined : siteNamed(name, sites);
  const here = (site && session.roles?.[site.site_key_hash]) ?? session.role;
  return RANKS.indexOf(here) >= RANKS.indexOf(role);
}
