import type { Context } from "../context.js";
import type { SigningKey } from "../owners/agents/asking/store.js";

/**
 * Which part of a site's rate a mandate may use: the one that is open to all, or also the one that is
 * kept for identities which have sent few mandates in the last minute.
 */
export type MandatePlace = "open" | "reserved";

/**
 * Runs a submission with the place that the identity of its agent has among all that send mandates to
 * the site. It is counted before the transaction begins, which may run more than once, and given back
 * where nothing was claimed: `isUsed` says so of the result.
 */
export async function withPlace<T>(
  { admission, clock }: Context,
  siteKeyHash: string,
  { identity, active }: SigningKey,
  submit: (place: MandatePlace) => Promise<T>,
  isUsed: (result: T) => boolean,
): Promise<T> {
  // An agent that is not active is refused anyway, and must not count as one of those who share.
  if (!active) return submit("open");
  const { mandates } = admission;
  const takenAt = clock.now();
  const place = mandates.count(siteKeyHash, identity, takenAt) ? "reserved" : "open";
  let used = false;
  try {
    const result = await submit(place);
    used = isUsed(result);
    return result;
  } finally {
    if (!used) mandates.giveBack(siteKeyHash, identity, takenAt);
  }
}
