import { measureOpenPayments } from "../domain/payments/store.js";
import { sitesOpenToAny } from "../domain/platforms/settings/store.js";
import { siteByHash } from "../domain/sites/store.js";
import { isoTime } from "../infra/clock.js";
import type { Database } from "../infra/db/database.js";
import { MINUTE_MS } from "../infra/time.js";
import type { Finding } from "./finding.js";

/** A provider that works reports the outcome of a payment much earlier. */
const UNRESOLVED_MS_MAX = 10 * MINUTE_MS;

/** Reported only if a payment has had no outcome for a while. */
export async function checkPayments(db: Database, now: number): Promise<Finding[]> {
  const { count, since } = await measureOpenPayments(db);
  if (since === null || now - since < UNRESOLVED_MS_MAX) return [];
  const has = count === 1 ? "1 payment has" : `${count} payments have`;
  const message =
    `${has} no known outcome, the oldest since ${isoTime(since)}. The payment provider does not answer, or ` +
    "the service is not running. See the provider's status page. `gatehouse site declines <domain>` " +
    "shows how many payments of a site are affected. The service keeps checking until the outcome is known";
  return [{ part: "payments", verdict: "warning", message }];
}

/** Sites that are checked. */
const SITES_MAX = 1_000;
/** Sites named in the finding; the rest are counted. */
const SITES_NAMED_MAX = 5;

/** Whether platforms that are not admitted can spend real money at a site. */
export async function checkPlatforms(db: Database): Promise<Finding> {
  const domains: string[] = [];
  for (const siteKeyHash of await sitesOpenToAny(db, SITES_MAX)) {
    const site = await siteByHash(db, siteKeyHash);
    if (site?.provider?.live === true) domains.push(site.domain);
  }
  const part = "platforms";
  const [first] = domains;
  if (first === undefined) {
    const message = "no site takes real payments from platforms that its owner has not admitted";
    return { part, verdict: "good", message };
  }
  const named = domains.slice(0, SITES_NAMED_MAX).join(", ");
  const more =
    domains.length > SITES_NAMED_MAX ? ` and ${domains.length - SITES_NAMED_MAX} more` : "";
  const message =
    `any platform can pay with real money at ${named}${more}. Admit the platforms that you know (\`gatehouse platform list ${first}\`), ` +
    `then run \`gatehouse site platforms ${first} --accept admitted\``;
  return { part, verdict: "warning", message };
}
