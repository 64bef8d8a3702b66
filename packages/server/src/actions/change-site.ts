import { ok, type Result, refuse, toBase64url } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { readDomain } from "../owners/sites/domain.js";
import { PROOF_TOKEN_BYTES, type Site, unproven } from "../owners/sites/site.js";
import { siteByHash, updateSite } from "../owners/sites/store.js";

export interface SiteChanges {
  readonly domain?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** Another domain is another proof: the site goes back to pending under a new token. */
function moved(site: Site, domain: string, token: string): Site {
  return { ...site, domain, status: "pending", verification: unproven(token) };
}

export async function changeSite(
  { config, clock, ids, db }: Context,
  siteKeyHash: string,
  changes: SiteChanges,
): Promise<Result<Site, "invalid_request" | "not_found" | "conflict">> {
  const domain =
    changes.domain === undefined
      ? undefined
      : readDomain(changes.domain, { development: config.mode === "development" });
  if (domain?.ok === false) return refuse("invalid_request", `domain: ${domain.detail}.`);
  return db.transaction(async (tx) => {
    const site = await siteByHash(tx, siteKeyHash);
    if (site === undefined) return refuse("not_found", "No site has this key hash.");
    const here =
      domain === undefined || domain.value === site.domain
        ? site
        : moved(site, domain.value, toBase64url(ids.bytes(PROOF_TOKEN_BYTES)));
    const name = changes.name ?? site.name;
    const description = changes.description ?? site.description;
    const now = clock.now();
    const changed = { ...here, name, description };
    if (!(await updateSite(tx, changed, now))) {
      return refuse("conflict", "The site was changed by somebody else meanwhile. Try again.");
    }
    return ok({ ...changed, version: site.version + 1, changedAt: now });
  });
}
