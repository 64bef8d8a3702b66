const SKEW_MS = 60_000;
const LIFE_MS_MAX = 15 * 60_000;

/** Whether what an agent signed about itself is meant for now, give or take a minute. */
export function isSignedForNow(
  { issuedAt, expiresAt }: { readonly issuedAt: number; readonly expiresAt: number },
  now: number,
): boolean {
  const lifeMs = expiresAt - issuedAt;
  const inTime = issuedAt <= now + SKEW_MS && now < expiresAt + SKEW_MS;
  return inTime && lifeMs > 0 && lifeMs <= LIFE_MS_MAX;
}
