import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { findProof, isFetchAllowed } from "../../domain/sites/proof.js";
import type { Site, VerificationMethod } from "../../domain/sites/site.js";
import { siteByHash, unverifyOthers, updateSite } from "../../domain/sites/store.js";
import { checkUserAgent } from "../../domain/visits/own-check.js";
import { DatabaseConflictError } from "../../infra/db/database.js";
import { siteChange } from "./site-change.js";

export type VerifyFault = "not_found" | "verification_failed";

export interface Verification {
  readonly method: VerificationMethod;
  /** Why the operator vouches for the domain; only for the method `operator`. */
  readonly reason: string | null;
}

function verified(site: Site, { method, reason }: Verification, now: number): Site {
  const verification = {
    ...site.verification,
    method,
    reason,
    verifiedAt: now,
    checkedAt: now,
    failedDays: 0,
    problem: null,
  };
  return { ...site, status: "verified", verification };
}

/** Sites on the developer's own machine can only be fetched if a setting allows it. */
export function fetchHint({ config }: Context, { domain }: Site): string {
  const local = /^(?:localhost|[^:]+\.localhost|127(?:\.\d+){3})(?::\d+)?$/.test(domain);
  if (config.mode !== "development" || !local) return "";
  if (isFetchAllowed(domain, config.fetchAllow)) return "";
  return `For a site on this machine, start the service with GATEHOUSE_FETCH_ALLOW=${domain}.`;
}

/**
 * Looks for the proof outside any transaction, then makes the site the verified one of its domain. If the
 * site was changed meanwhile, nothing is written, because the version is compared.
 */
export async function verifySite(
  context: Context,
  siteKeyHash: string,
  verification: Verification,
  actor: Actor,
): Promise<Result<Site, VerifyFault>> {
  const { clock, db, config, audit } = context;
  const site = await siteByHash(db, siteKeyHash);
  if (site === undefined) return refuse("not_found", "There is no site with this key hash.");
  const { method } = verification;
  if (method !== "operator") {
    const sources = { ...context, fetchAllow: config.fetchAllow };
    // The owner may just have published the proof, so a cached answer is of no use.
    const userAgent = checkUserAgent(context, siteKeyHash, clock.now());
    const proof = await findProof(site, method, sources, { fresh: true, userAgent });
    if (!proof.ok) {
      const message = `${proof.detail} ${fetchHint(context, site)}`.trimEnd();
      return refuse("verification_failed", message);
    }
  }
  const now = clock.now();
  const changed = verified(site, verification, now);
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const others = await unverifyOthers(tx, site.domain, siteKeyHash, now);
    // Thrown, not returned, so that the changes to the other sites are rolled back.
    if (!(await updateSite(tx, changed, now))) {
      throw new DatabaseConflictError("someone else changed the site at the same time");
    }
    const written = { ...changed, version: site.version + 1, changedAt: now };
    const records = [await siteChange("verified", written, { actor, now })];
    for (const other of others) records.push(await siteChange("unverified", other, { actor, now }));
    return { records, answer: ok(written) };
  });
  return answer;
}
