import type { AdminClient } from "../admin-client.js";
import type { SiteBody } from "../find-site.js";
import type { SiteFinding } from "./finding.js";

interface PlatformSettings {
  readonly platforms: "any" | "admitted";
  readonly pool: { readonly spend_per_day: Readonly<Record<string, string>> };
}

/** Said only where strangers can spend at a site that sells, up to a limit its owner never set. */
export async function checkPlatforms(
  client: AdminClient,
  { site_key_hash, domain }: SiteBody,
  sells: boolean,
): Promise<readonly SiteFinding[]> {
  if (!sells) return [];
  const path = `/v1/admin/sites/${site_key_hash}/platform-settings`;
  const { platforms, pool } = await client.call<PlatformSettings>("GET", path);
  if (platforms !== "any" || Object.keys(pool.spend_per_day).length > 0) return [];
  const observation =
    "any platform can buy here, up to about 5,000 euros a day in total (the default)";
  const advice =
    `Set your own limit: \`gatehouse site platforms ${domain} --spend-per-day EUR=500.00\`. ` +
    `Or accept only platforms that you admitted: \`gatehouse site platforms ${domain} --accept admitted\`.`;
  return [{ item: "platforms", state: "missing", found: observation, advice }];
}

interface Log {
  readonly chain: string;
  readonly held: string | null;
}

/** Said only where the audit log is frozen: the site then decides nothing. */
export async function checkAuditLog(
  client: AdminClient,
  { site_key_hash, domain }: SiteBody,
): Promise<readonly SiteFinding[]> {
  const path = `/v1/admin/sites/${site_key_hash}/audit/logs`;
  const { items } = await client.call<{ items: readonly Log[] }>("GET", path);
  return items.flatMap(({ chain, held }) => {
    if (held === null) return [];
    const observation = `${chain} is frozen: ${held}. No request is decided until an operator fixes it`;
    const advice =
      "Find out why the database is older than the log, then run " +
      `\`gatehouse audit renew ${domain} --reason …\`.`;
    return [{ item: "audit log", state: "wrong", found: observation, advice }];
  });
}
