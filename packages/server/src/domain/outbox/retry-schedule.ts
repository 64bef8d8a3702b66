import { HOUR_MS, MINUTE_MS } from "../../infra/time.js";
import type { Message } from "./message.js";

/** 30 s after the first try, then 2, 8 and 32 min, then every 40 min, and never more than an hour. */
const RETRY_FIRST_MS = 30_000;
const RETRY_FACTOR = 4;
const RETRY_MS_MAX = 40 * MINUTE_MS;
/**
 * No retry later than this after the message was written or sent again by hand. A message that
 * waited for others all that time gets one try.
 */
const TRIED_MS_MAX = 60 * HOUR_MS;
/**
 * A random part is added to each delay, so that messages that failed together are not retried
 * together.
 */
const JITTER_MAX = 0.5;

/**
 * A try that takes longer was interrupted, and another process may repeat it. Longer than any real
 * try.
 */
export const TRY_LEASE_MS = MINUTE_MS;

/**
 * When to try again after a failed try; undefined after the last one. `chance` is from 0 up to 1.
 * Only time ends the retries, not their number: a receiver that comes and goes is tried more often
 * than one that is away.
 */
export function nextTryAt(
  { attempts, since }: Pick<Message, "attempts" | "since">,
  now: number,
  chance: number,
): number | undefined {
  const plain = Math.min(RETRY_FIRST_MS * RETRY_FACTOR ** (attempts - 1), RETRY_MS_MAX);
  const at = now + Math.floor(plain * (1 + JITTER_MAX * chance));
  return at <= since + TRIED_MS_MAX ? at : undefined;
}
