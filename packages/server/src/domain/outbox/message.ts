import { DAY_MS } from "../../infra/time.js";
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
  /** The platform in the owner's list whose connection says how it is sent; null for anybody else. */
  readonly platform: string | null;
  /** The event that a platform is notified of; null for anybody else. */
  readonly eventId: string | null;
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
 * address, and a shop system is connected.
 */
export const AUDIENCES = ["owner", "platform", "buyer", "shop"] as const;
type Audience = (typeof AUDIENCES)[number];

type OptionalMember = "platform" | "eventId";
type Progress =
  | "attempts"
  | "since"
  | "nextAt"
  | "refused"
  | "state"
  | "deliveredAt"
  | "lastProblem";

/** A message that nobody has tried to deliver. */
export function newMessage(
  draft: Omit<Message, Progress | OptionalMember> & Partial<Pick<Message, OptionalMember>>,
): Message {
  const { createdAt: now } = draft;
  const ended = { state: "waiting", refused: false, deliveredAt: null, lastProblem: null } as const;
  return {
    platform: null,
    eventId: null,
    ...draft,
    attempts: 0,
    since: now,
    nextAt: now,
    ...ended,
  };
}

export const OUTBOX_TOPIC = "outbox";

/** The limit of waiting messages of a site for each audience. */
export const WAITING_MAX = 10_000;
/** The limit of waiting messages to one platform, so that it cannot block the others. */
export const WAITING_PER_PLATFORM_MAX = 2000;
/** After this time, ended messages are deleted with the addresses of people in them. */
export const MESSAGE_KEPT_MS = 30 * DAY_MS;
