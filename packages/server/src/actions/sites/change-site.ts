import { ok, type Result, refuse, toBase64url, type UcpVersion } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { readDomain } from "../../domain/sites/domain.js";
import {
  type AuditPublic,
  PROOF_TOKEN_BYTES,
  type PublishedFeeds,
  type Site,
  unproven,
} from "../../domain/sites/site.js";
import { siteByHash, updateSite } from "../../domain/sites/store.js";
import { siteChange } from "./site-change.js";

export interface SiteChanges {
  readonly domain?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The digest of an uploaded picture; null removes it. */
  readonly picture?: string | null | undefined;
  readonly audit_public?: AuditPublic | undefined;
  readonly ucp_version?: UcpVersion | undefined;
  readonly published_feeds?: PublishedFeeds | undefined;
}

/** A new domain needs a new proof: the site is pending again and gets a new token. */
function moved(site: Site, domain: string, token: string): Site {
  return { ...site, domain, status: "pending", verification: unproven(token) };
}

/** The names of the changed fields, for the record. */
function fieldsOf(changes: SiteChanges): string[] {
  return Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

export async function changeSite(
  { config, clock, ids, audit }: Context,
  siteKeyHash: string,
  changes: SiteChanges,
  actor: Actor,
): Promise<Result<Site, "invalid_request" | "not_found" | "conflict">> {
  const domain =
    changes.domain === undefined
      ? undefined
      : readDomain(changes.domain, { development: config.mode === "development" });
  if (domain?.ok === false) return refuse("invalid_request", `domain: ${domain.detail}.`);
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const refused = (answer: Result<Site, "not_found" | "conflict">) => ({ records: [], answer });
    const site = await siteByHash(tx, siteKeyHash);
    if (site === undefined)
      return refused(refuse("not_found", "There is no site with this key hash."));
    const moves = domain !== undefined && domain.value !== site.domain;
    const here = moves
      ? moved(site, domain.value, toBase64url(ids.bytes(PROOF_TOKEN_BYTES)))
      : site;
    const now = clock.now();
    const changed: Site = {
      ...here,
      name: changes.name ?? site.name,
      description: changes.description ?? site.description,
      picture: changes.picture === undefined ? site.picture : changes.picture,
      auditPublic: changes.audit_public ?? site.auditPublic,
      ucpVersion: changes.ucp_version ?? site.ucpVersion,
      publishedFeeds: changes.published_feeds ?? site.publishedFeeds,
    };
    if (!(await updateSite(tx, changed, now))) {
      const why = "Someone else changed the site at the same time. Try again.";
      return refused(refuse("conflict", why));
    }
    const written = { ...changed, version: site.version + 1, changedAt: now };
    const fields = fieldsOf(changes);
    return {
      records: [await siteChange("changed", written, { actor, now, fields })],
      answer: ok(written),
      // A log is named after its domain, so it ends with this record and the next epoch begins.
      maintenance: moves ? { reason: "domain_changed", actor } : undefined,
    };
  });
  return answer;
}
