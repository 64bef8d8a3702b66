import type { AdminClient } from "../admin-client.js";
import type { SiteBody } from "../find-site.js";
import { isThisMachine } from "../this-machine.js";
import type { Answers } from "./answers.js";
import { policyOf } from "./limit.js";

/** Variables an installation is served with, by what was answered. */
export function settingsOf({ address, domain }: Answers): Record<string, string> {
  if (isThisMachine(address.host)) {
    return {
      GATEHOUSE_MODE: "development",
      GATEHOUSE_BASE_URL: address.origin,
      GATEHOUSE_PORT: address.port || "80",
      ...(isThisMachine(domain) ? { GATEHOUSE_FETCH_ALLOW: domain } : {}),
    };
  }
  // Agents come by https: a proxy on this machine has the certificate, and says so.
  return { GATEHOUSE_BASE_URL: address.origin, GATEHOUSE_TRUST_PROXY: "127.0.0.1" };
}

/** The site of this domain: one that is there is gone on with, where `init` was begun before. */
async function siteOf(client: AdminClient, domain: string, name: string): Promise<SiteBody> {
  const path = "/v1/admin/sites";
  const query = `?domain=${encodeURIComponent(domain)}`;
  const { items } = await client.call<{ items: SiteBody[] }>("GET", path + query);
  return items[0] ?? client.call<SiteBody>("POST", path, { domain, name });
}

/** Makes the site, with its policy and, if wanted, the sandbox; the site as it is then. */
export async function setUp(client: AdminClient, answers: Answers): Promise<SiteBody> {
  const { domain, name, limit, timezone, sandbox } = answers;
  const site = await siteOf(client, domain, name);
  const path = `/v1/admin/sites/${site.site_key_hash}`;
  await client.call("PUT", `${path}/policy`, policyOf(limit, timezone));
  if (sandbox) {
    const processor = { kind: "sandbox", rail_on: true, settles: true };
    await client.call("PUT", `${path}/processor`, processor);
  }
  // The same zone for what people read. What an earlier `init` or an owner has set stays.
  const shop = await client.call<Record<string, unknown>>("GET", `${path}/shop`);
  await client.call("PUT", `${path}/shop`, { ...shop, time_zone: shop.time_zone ?? timezone });
  if (!isThisMachine(domain)) return client.call("GET", path);
  const reason = "a site on the operator's own machine, set up by `gatehouse init`";
  return client.call("POST", `${path}/verify`, { method: "operator", reason });
}
