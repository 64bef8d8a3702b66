import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { ListedPolicy, PublishedPolicy } from "../../domain/policies/policy.js";
import { currentPolicy, listPolicies, policyByVersion } from "../../domain/policies/store.js";

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
