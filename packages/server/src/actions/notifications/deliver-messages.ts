import { refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { MESSAGE_KEPT_MS, type Message, nextTryAt } from "../../domain/outbox/message.js";
import {
  claimMessage,
  deleteExpiredMessages,
  dueDestinations,
  dueMessages,
  retryMessagesNow,
  writeTry,
} from "../../domain/outbox/store.js";
import type { Ids } from "../../infra/ids.js";
import { type Sent, sendMessage } from "./send-message.js";

/** Often enough that the first retry comes within a minute. */
export const DELIVER_EVERY_MS = 5000;
/** Receivers that are sent to at the same time; each gets its messages one after the other. */
const DESTINATIONS_AT_ONCE = 16;
const MESSAGES_OF_DESTINATION = 4;
/** Rounds of one run, and how long it may take: other jobs wait meanwhile. */
const ROUNDS_MAX = 50;
const RUN_MS_MAX = 30_000;
const FORGOTTEN_AT_ONCE = 1000;

/** From 0 up to 1. */
function chanceOf(ids: Ids): number {
  const [high = 0, low = 0] = ids.bytes(2);
  return (256 * high + low) / 65_536;
}

/** What becomes of a message after a try. */
function tried(message: Message, sent: Sent, now: number, chance: number): Message {
  if (sent.ok) {
    return { ...message, state: "delivered", nextAt: now, deliveredAt: now, lastProblem: null };
  }
  const nextAt = sent.reason === "gone" ? undefined : nextTryAt(message, now, chance);
  const said = { refused: sent.reason === "refused", lastProblem: sent.detail };
  if (nextAt === undefined) return { ...message, ...said, state: "failed", nextAt: now };
  return { ...message, ...said, nextAt };
}

/** Whatever goes wrong here is a failed try: it is written down like any other, and ends some day. */
async function trySending(context: Context, message: Message): Promise<Sent> {
  try {
    return await sendMessage(context, message);
  } catch (error) {
    context.log.error({ messageId: message.messageId, error }, "message.not_sent");
    return refuse("not_delivered", "it could not be sent: the service failed");
  }
}

/** Sends what is due to one receiver, one after the other; false when it is not there. */
async function deliverTo(context: Context, destination: string): Promise<boolean> {
  const { clock, db, ids, log, metrics } = context;
  const count = metrics.counter("gatehouse_messages_total");
  const due = await dueMessages(db, destination, clock.now(), MESSAGES_OF_DESTINATION);
  for (const one of due) {
    const message = await claimMessage(db, one, clock.now());
    if (message === undefined) continue;
    const sent = await trySending(context, message);
    context.crashPoint("outbox.sent");
    await writeTry(db, message, tried(message, sent, clock.now(), chanceOf(ids)));
    const { messageId, kind, topic, attempts } = message;
    count({ kind, result: sent.ok ? "delivered" : sent.reason });
    if (sent.ok) {
      context.crashPoint("outbox.delivered");
      await retryMessagesNow(db, destination, clock.now());
      continue;
    }
    log.warn({ messageId, kind, topic, attempts, problem: sent.detail }, "message.not_delivered");
    if (sent.reason === "not_delivered") return false;
  }
  return true;
}

/**
 * Delivers what is due, at least once: a process that dies between sending and writing it down
 * leaves it to be sent again, with the same id and the same bytes.
 */
export async function deliverMessages(
  context: Context,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { clock, db } = context;
  const until = clock.now() + RUN_MS_MAX;
  /** Whoever did not take one is left alone until the next run. */
  const silent = new Set<string>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (stopping() || clock.now() > until) return;
    const found = await dueDestinations(db, clock.now(), DESTINATIONS_AT_ONCE + silent.size);
    const due = found.filter((destination) => !silent.has(destination));
    if (due.length === 0) return;
    const ends = await Promise.allSettled(
      due.slice(0, DESTINATIONS_AT_ONCE).map(async (destination) => {
        if (!(await deliverTo(context, destination))) silent.add(destination);
      }),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
}

/** Forgets messages that ended long ago. */
export async function forgetOldMessages(
  { clock, db }: Context,
  stopping: () => boolean,
): Promise<void> {
  const before = clock.now() - MESSAGE_KEPT_MS;
  while (!stopping()) {
    if ((await deleteExpiredMessages(db, before, FORGOTTEN_AT_ONCE)) < FORGOTTEN_AT_ONCE) return;
  }
}
