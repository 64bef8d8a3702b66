import type { Context } from "../../context.js";
import type { SigningKey } from "../../domain/agents/requesting/store.js";

/**
 * Which part of a site's rate a mandate may use: the part that is open to all agents, or also the part that
 * is reserved for identities that have sent few mandates in the last minute.
 */
export type MandatePlace = "open" | "reserved";

/**
 * Runs a submission with the part of the site's rate that its agent's identity may use. The mandate is
 * counted before the transaction begins, because that may run more than once, and given back if `isUsed`
 * says that nothing was claimed.
 */
export async function withPlace<T>(
  { admission, clock }: Context,
  siteKeyHash: string,
  { identity, active }: SigningKey,
  submit: (place: MandatePlace) => Promise<T>,
  isUsed: (result: T) => boolean,
): Promise<T> {
  // An inactive agent is refused anyway and must not count as one that shares the rate.
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
