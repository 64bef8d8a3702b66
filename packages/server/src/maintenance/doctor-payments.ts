import { isoTime } from "../infra/clock.js";
import type { Database } from "../infra/db/database.js";
import { MINUTE_MS } from "../infra/time.js";
import { measureOpenPayments } from "../purchase/payment-state.js";
import type { Finding } from "./finding.js";

/** A provider that works tells the outcome of a payment long before. */
const UNRESOLVED_MS_MAX = 10 * MINUTE_MS;

/** Said only where a provider has not told the outcome of a payment for a while. */
export async function checkPayments(db: Database, now: number): Promise<Finding[]> {
  const { count, since } = await measureOpenPayments(db);
  if (since === null || now - since < UNRESOLVED_MS_MAX) return [];
  const has = count === 1 ? "1 payment has" : `${count} payments have`;
  const says =
    `${has} no outcome, the oldest since ${isoTime(since)}: the payment provider does not answer, or ` +
    "the service does not run. See the provider's status page; `gatehouse site declines <domain>` " +
    "shows how many a site has. They are asked about again until the outcome is known";
  return [{ part: "payments", verdict: "warning", says }];
}
