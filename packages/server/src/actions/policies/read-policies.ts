import {
  FULL_OFFER,
  liveSkills,
  ok,
  type PolicySiteFacts,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { ListedPolicy, PublishedPolicy } from "../../domain/policies/policy.js";
import { currentPolicy, listPolicies, policyByVersion } from "../../domain/policies/store.js";
import { currenciesOf } from "../../domain/products/lookups/store.js";
import type { Site } from "../../domain/sites/site.js";
import { hasSkill } from "../../domain/sites/skills.js";
import type { Queries } from "../../infra/db/database.js";

/** The version in force. */
export async function showPolicy(
  { db }: Context,
  siteKeyHash: string,
): Promise<Result<PublishedPolicy, "not_found">> {
  const policy = await currentPolicy(db, siteKeyHash);
  return policy === undefined ? refuse("not_found", "The site has no policy yet.") : ok(policy);
}

export async function showPolicyVersion(
  { db }: Context,
  siteKeyHash: string,
  version: number,
): Promise<Result<PublishedPolicy, "not_found">> {
  const policy = await policyByVersion(db, siteKeyHash, version);
  if (policy === undefined)
    return refuse("not_found", "There is no such version of the site's policy.");
  return ok(policy);
}

interface VersionPage {
  readonly versions: readonly ListedPolicy[];
  /** The version that the next page begins before; undefined on the last page. */
  readonly next: number | undefined;
}

/** Versions of a site's policy before a number, newest first. */
export async function listPolicyVersions(
  { db }: Context,
  siteKeyHash: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<VersionPage> {
  const rows = await listPolicies(db, siteKeyHash, { before, limit: limit + 1 });
  const versions = rows.slice(0, limit);
  return { versions, next: rows.length > limit ? versions.at(-1)?.version : undefined };
}

/** The site of a policy, and its skills. */
export type PolicySite = Pick<Site, "siteKeyHash" | "skills">;

/**
 * What the checks of a policy need to know about its site. The skills that buy count as offered, because
 * owners write their rules before they begin to sell.
 */
export async function policySiteFacts(
  db: Queries,
  { siteKeyHash, skills }: PolicySite,
): Promise<PolicySiteFacts> {
  return {
    isSkill: (id) => hasSkill(skills, id),
    offered: liveSkills(skills, "", FULL_OFFER).map(({ id }) => id),
    currencies: await currenciesOf(db, siteKeyHash),
  };
}
