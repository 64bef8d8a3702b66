import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../infra/time.js";
export const MESSAGE_STATES = ["waiting", "delivered", "failed"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/**
 * A notification to somebody outside, written together with the change it reports. Times are
 * milliseconds.
 */
export interface Message {
  /** The same for every try, so that a receiver recognizes a message that arrives twice. */
  readonly messageId: string;
  readonly siteKeyHash: string;
  readonly kind: "webhook" | "mail";
  readonly audience: Audience;
  /** What happened, such as `review.requested`. */
  readonly topic: string;
  /** The id of the order or review that it reports; null for anything else. */
  readonly subjectId: string | null;
  /**
   * The position among the messages about one subject to one receiver. A later message waits for
   * it.
   */
  readonly position: number | null;
  /** A web address or a mail address. */
  readonly destination: string;
  /** The final content: JSON of a webhook, or `{subject, text}` of a mail. */
  readonly body: string;
  readonly createdAt: number;
  /** The number of tries, the current one included. */
  readonly attempts: number;
  /** When delivery began. The last try is counted from here. */
  readonly since: number;
  /** Whether the receiver answered the last try with a refusal of this message. */
  readonly refused: boolean;
  /**
   * The time of the next try; during a try, when another process may take over; after the last,
   * when that was.
   */
  readonly nextAt: number;
  readonly state: MessageState;
  readonly deliveredAt: number | null;
  /** Why the last try failed, as a sentence for the owner. */
  readonly lastProblem: string | null;
}

/**
 * Owners configure where they are notified, platforms name it in their profile, buyers leave an
 * address.
 */
export const AUDIENCES = ["owner", "platform", "buyer"] as const;
type Audience = (typeof AUDIENCES)[number];

/** A message that nobody has tried to deliver. */
export function newMessage(
  draft: Omit<
    Message,
    "attempts" | "since" | "nextAt" | "refused" | "state" | "deliveredAt" | "lastProblem"
  >,
): Message {
  const { createdAt: now } = draft;
  const ended = { state: "waiting", refused: false, deliveredAt: null, lastProblem: null } as const;
  return { ...draft, attempts: 0, since: now, nextAt: now, ...ended };
}

export const OUTBOX_TOPIC = "outbox";

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

/** The limit of waiting messages of a site for each audience. */
export const WAITING_MAX = 10_000;
/** The limit of waiting messages to one platform, so that it cannot block the others. */
export const WAITING_PER_PLATFORM_MAX = 2000;
/** After this time, ended messages are deleted with the addresses of people in them. */
export const MESSAGE_KEPT_MS = 30 * DAY_MS;

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
