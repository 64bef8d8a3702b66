import { type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { MESSAGE_KEPT_MS, type Message } from "../../domain/outbox/message.js";
import { nextTryAt } from "../../domain/outbox/retry-schedule.js";
import {
  claimMessage,
  deleteExpiredMessages as deleteMessagesBefore,
  dueMessages,
  retryMessagesNow,
  writeTry,
} from "../../domain/outbox/store.js";
import { headersPlace } from "../../domain/platforms/connection.js";
import { platformByIdentity } from "../../domain/platforms/store.js";
import type { Ids } from "../../infra/ids.js";
import type { MailWords } from "../../infra/mail/html.js";
import type { OrderWebhook } from "../../infra/webhook-sender.js";
import { noteDelivery } from "./note-delivery.js";
import { sendToShop } from "./send-to-shop.js";
import { serveReceivers } from "./serve-receivers.js";

/** Often enough that the first retry comes within a minute. */
export const DELIVER_EVERY_MS = 5000;
/** Messages that a receiver gets in one turn. */
const MESSAGES_OF_DESTINATION = 4;
/** How long a run starts attempts, so that it ends within the job's lease. */
const RUN_MS_MAX = 30_000;
const DELETED_AT_ONCE = 1000;

/** The part of a message that an attempt to send it needs. */
export type Sendable = Pick<
  Message,
  "messageId" | "siteKeyHash" | "kind" | "audience" | "destination" | "body" | "createdAt"
> &
  Partial<Pick<Message, "platform" | "eventId">>;

/** `refused`: the receiver answered, and may accept it later. `gone`: it never will. */
type SendResult = Result<true, "gone" | "refused" | "not_delivered">;

/** Tries once to send a message, as mail or to a webhook. */
export async function sendMessage(context: Context, message: Sendable): Promise<SendResult> {
  const { mailer, webhooks } = context;
  const { messageId, siteKeyHash, kind, audience, destination, body, createdAt } = message;
  if (kind === "webhook") {
    if (audience === "shop") return sendToShop(context, message);
    const webhook = { url: destination, body, messageId };
    if (audience !== "platform") return webhooks.send(webhook);
    const format = await webhookFormat(context, message);
    return webhooks.sendOrder({ ...webhook, ...format, siteKeyHash, occurredAt: createdAt });
  }
  const { subject, text, shop, amount } = JSON.parse(body) as MailWords;
  const mail = { messageId, to: destination, subject, text, shop, amount };
  return mailer.send({ ...mail, writtenAt: createdAt });
}

/** A random number from 0 to 1, without 1. */
function randomOf(ids: Ids): number {
  const [high = 0, low = 0] = ids.bytes(2);
  return (256 * high + low) / 65_536;
}

/** The message after an attempt: delivered, failed, or waiting for the next attempt. */
function afterAttempt(message: Message, result: SendResult, now: number, random: number): Message {
  if (result.ok) {
    return { ...message, state: "delivered", nextAt: now, deliveredAt: now, lastProblem: null };
  }
  const nextAt = result.reason === "gone" ? undefined : nextTryAt(message, now, random);
  const problem = { refused: result.reason === "refused", lastProblem: result.detail };
  if (nextAt === undefined) return { ...message, ...problem, state: "failed", nextAt: now };
  return { ...message, ...problem, nextAt };
}

/** An error of our own counts as a failed attempt, so that it is retried and ends like any other. */
async function trySending(context: Context, message: Message): Promise<SendResult> {
  try {
    return await sendMessage(context, message);
  } catch (error) {
    context.log.error({ messageId: message.messageId, error }, "message.not_sent");
    return refuse("not_delivered", "it could not be sent because of an error in the service");
  }
}

/** Sends the due messages of one receiver in order; false if it does not answer. */
async function deliverTo(
  context: Context,
  destination: string,
  isOver: () => boolean,
): Promise<boolean> {
  const { clock, db, ids, log, metrics } = context;
  const count = metrics.counter("gatehouse_messages_total");
  const due = await dueMessages(db, destination, clock.now(), MESSAGES_OF_DESTINATION);
  for (const unclaimed of due) {
    if (isOver()) return true;
    const message = await claimMessage(db, unclaimed, clock.now());
    if (message === undefined) continue;
    const result = await trySending(context, message);
    context.crashPoint("outbox.sent");
    await writeTry(db, message, afterAttempt(message, result, clock.now(), randomOf(ids)));
    const { messageId, kind, topic, attempts } = message;
    count({ kind, result: result.ok ? "delivered" : result.reason });
    if (result.ok) {
      context.crashPoint("outbox.delivered");
      if (message.audience === "owner") await noteDelivery(context, message);
      await retryMessagesNow(db, destination, clock.now());
      continue;
    }
    log.warn({ messageId, kind, topic, attempts, problem: result.detail }, "message.not_delivered");
    if (result.reason === "not_delivered") return false;
  }
  return true;
}

/**
 * Delivers due messages at least once. A crash between sending a message and storing the result leads to a
 * second delivery, with the same id and the same bytes.
 */
export async function deliverMessages(
  context: Context,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { clock } = context;
  const until = clock.now() + RUN_MS_MAX;
  const isOver = () => stopping() || clock.now() > until;
  await serveReceivers(context, isOver, (destination) => deliverTo(context, destination, isOver));
}

/** Deletes messages that were delivered or failed long ago. */
export async function deleteExpiredMessages(
  { clock, db }: Context,
  stopping: () => boolean,
): Promise<void> {
  const before = clock.now() - MESSAGE_KEPT_MS;
  while (!stopping()) {
    if ((await deleteMessagesBefore(db, before, DELETED_AT_ONCE)) < DELETED_AT_ONCE) return;
  }
}

type Format = Pick<OrderWebhook, "webhookId" | "timestamp" | "headers">;

/**
 * How the owner wants a platform to be notified. It is read at every try, so that a secret that was replaced is
 * not sent again. The headers go to the address that they were set for, and to no other.
 */
async function webhookFormat(
  { db, secrets }: Context,
  message: Pick<Message, "siteKeyHash" | "destination"> & Partial<Message>,
): Promise<Format> {
  const { siteKeyHash, destination, platform = null, eventId = null } = message;
  const entry = platform === null ? undefined : await platformByIdentity(db, siteKeyHash, platform);
  if (entry?.status !== "admitted") return {};
  const { url, sealedHeaders, timestamp, id } = entry.connection.webhook;
  const place = headersPlace(siteKeyHash, entry.identity);
  const isTheirs = url === destination && sealedHeaders !== null;
  return {
    timestamp,
    webhookId: id === "event" && eventId !== null ? eventId : undefined,
    headers: isTheirs ? JSON.parse(secrets.open(place, sealedHeaders)) : undefined,
  };
}
