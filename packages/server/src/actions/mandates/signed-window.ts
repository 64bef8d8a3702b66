import { CLOCK_SKEW_MS } from "@gatehouse/protocol";
import { MINUTE_MS } from "../../infra/time.js";

const LIFE_MS_MAX = 15 * MINUTE_MS;

/** Whether what an agent signed about itself is meant for now, give or take a minute. */
export function isSignedForNow(
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  now: number,
): boolean {
  const lifeMs = expiresAt - issuedAt;
  const inTime = issuedAt <= now + CLOCK_SKEW_MS && now < expiresAt + CLOCK_SKEW_MS;
  return inTime && lifeMs > 0 && lifeMs <= LIFE_MS_MAX;
}
