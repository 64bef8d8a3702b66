export const MESSAGE_STATES = ["waiting", "delivered", "failed"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Something to be told to somebody outside, once it was decided. Times are milliseconds. */
export interface Message {
  /** The same at every try: a receiver that gets it twice can tell. */
  readonly messageId: string;
  readonly siteKeyHash: string;
  readonly kind: "webhook" | "mail";
  /** What it is about, such as `review.requested`. */
  readonly topic: string;
  /** An address of the web, or a mailbox. */
  readonly destination: string;
  /** Frozen: JSON of a webhook, or `{subject, text}` of a mail. */
  readonly body: string;
  readonly createdAt: number;
  /** Tries begun, the one under way included. */
  readonly attempts: number;
  /** When it may be tried; of one being tried, when another may take over; of one that ended, when. */
  readonly nextAt: number;
  readonly state: MessageState;
  readonly deliveredAt: number | null;
  /** Why the last try failed, as a sentence for the owner. */
  readonly lastProblem: string | null;
}

export const OUTBOX_TOPIC = "outbox";

const HOUR_MS = 3_600_000;
/** 30 s after the first try, then 2, 8, 32 and 128 min, then every 6 h. */
const RETRY_FIRST_MS = 30_000;
const RETRY_FACTOR = 4;
const RETRY_MS_MAX = 6 * HOUR_MS;
/** After so many the last one was more than a day behind the first. */
export const RETRIES_MAX = 9;
/** Waiting is up to this much longer, by chance: what failed together does not come back together. */
const JITTER_MAX = 0.5;

/** A try that has not ended after this was cut off; it may be made again. Longer than any try. */
export const TRY_LEASE_MS = 60_000;

/** Messages of one site that may wait at a time. */
export const WAITING_MAX = 10_000;
/** Then nobody asks any more, and addresses of people are not kept for nothing. */
export const MESSAGE_KEPT_MS = 30 * 24 * HOUR_MS;

/**
 * How long to wait after a failed try; undefined after the last. `chance` is from 0 up to 1.
 */
export function retryDelayMs(attempts: number, chance: number): number | undefined {
  if (attempts > RETRIES_MAX) return undefined;
  const plain = Math.min(RETRY_FIRST_MS * RETRY_FACTOR ** (attempts - 1), RETRY_MS_MAX);
  return Math.floor(plain * (1 + JITTER_MAX * chance));
}
