import { HOUR_MS, MINUTE_MS } from "../../infra/time.js";
export const MESSAGE_STATES = ["waiting", "delivered", "failed"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Something to be told to somebody outside, once it was decided. Times are milliseconds. */
export interface Message {
  /** The same at every try: a receiver that gets it twice can tell. */
  readonly messageId: string;
  readonly siteKeyHash: string;
  readonly kind: "webhook" | "mail";
  readonly audience: Audience;
  /** What happened, such as `review.requested`. */
  readonly topic: string;
  /** What it is told of, an order or a review; null where it is neither. */
  readonly about: string | null;
  /** Its place among all that is told of that, to one receiver: a later one waits for it. */
  readonly place: number | null;
  /** An address of the web, or a mailbox. */
  readonly destination: string;
  /** Frozen: JSON of a webhook, or `{subject, text}` of a mail. */
  readonly body: string;
  readonly createdAt: number;
  /** Tries begun, the one under way included. */
  readonly attempts: number;
  /** Since when it is to be delivered; given up by the time from then. */
  readonly since: number;
  /** Whether the receiver answered the last try, and did not want this message. */
  readonly refused: boolean;
  /** When it may be tried; of one being tried, when another may take over; of one that ended, when. */
  readonly nextAt: number;
  readonly state: MessageState;
  readonly deliveredAt: number | null;
  /** Why the last try failed, as a sentence for the owner. */
  readonly lastProblem: string | null;
}

/** Owners set where they are told, platforms say it in their profile, buyers leave an address. */
export const AUDIENCES = ["owner", "platform", "buyer"] as const;
type Audience = (typeof AUDIENCES)[number];

/** A message before anybody has tried to deliver it. */
export function newMessage(
  said: Omit<
    Message,
    "attempts" | "since" | "nextAt" | "refused" | "state" | "deliveredAt" | "lastProblem"
  >,
): Message {
  const { createdAt: now } = said;
  const ended = { state: "waiting", refused: false, deliveredAt: null, lastProblem: null } as const;
  return { ...said, attempts: 0, since: now, nextAt: now, ...ended };
}

export const OUTBOX_TOPIC = "outbox";

/** 30 s after the first try, then 2, 8 and 32 min, then every 40 min, and never more than an hour. */
const RETRY_FIRST_MS = 30_000;
const RETRY_FACTOR = 4;
const RETRY_MS_MAX = 40 * MINUTE_MS;
/**
 * Nothing is tried again later than this after it was written, or sent again by hand: what waited for
 * others all that time is tried once.
 */
const TRIED_MS_MAX = 60 * HOUR_MS;
/** Waiting is up to this much longer, by chance: what failed together does not come back together. */
const JITTER_MAX = 0.5;

/** A try that has not ended after this was cut off; it may be made again. Longer than any try. */
export const TRY_LEASE_MS = MINUTE_MS;

/** Messages of one site that may wait at a time, for each of those who are told. */
export const WAITING_MAX = 10_000;
/** Of them for one platform: none keeps the others from being told. */
export const WAITING_FOR_ONE_MAX = 2000;
/** Then nobody asks any more, and addresses of people are not kept for nothing. */
export const MESSAGE_KEPT_MS = 30 * 24 * HOUR_MS;

/**
 * When to try again after a failed try; undefined after the last. `chance` is from 0 up to 1. However
 * often it was tried meanwhile, it is given up by time alone: a receiver that comes and goes is tried
 * more often than one that is away.
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
