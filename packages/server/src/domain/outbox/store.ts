import type { Queries, Transaction } from "../../infra/db/database.js";
import {
  countRows,
  deleterOf,
  equals,
  rowExists,
  selectValues,
} from "../../infra/db/statements.js";
import { flag, type ListPage, Table } from "../../infra/db/table.js";
import { type Message, type MessageState, OUTBOX_TOPIC } from "./message.js";
import { TRY_LEASE_MS } from "./retry-schedule.js";

const messages = new Table<Message>("outbox", {
  messageId: "message_id",
  siteKeyHash: "site_key_hash",
  kind: "kind",
  audience: "audience",
  topic: "topic",
  subjectId: "about",
  position: "place",
  destination: "destination",
  platform: "platform",
  eventId: "event_id",
  body: "body",
  createdAt: "created_at",
  attempts: "attempts",
  since: {
    read: ({ since, created_at }) => (since ?? created_at) as number,
    write: (since) => ({ since }),
  },
  refused: flag("refused"),
  nextAt: "next_at",
  state: "state",
  deliveredAt: "delivered_at",
  lastProblem: "last_problem",
});

/** Writes messages in the transaction of the change they report, and wakes the delivery. */
export async function insertMessages(tx: Transaction, added: readonly Message[]): Promise<void> {
  const [first] = added;
  if (first === undefined) return;
  await messages.insert(tx, added);
  tx.announce(OUTBOX_TOPIC, first.siteKeyHash);
}

/** All receivers of one audience of a site, or one of them. */
type Receivers = Pick<Message, "siteKeyHash" | "audience"> & {
  readonly destination?: string;
};

const TOO_MANY = "too many messages were already waiting";

/**
 * Returns the message. If too many are waiting, it returns the message as already failed: it is
 * listed, and a person can send it again.
 */
export async function failedIfFull(
  db: Queries,
  message: Message,
  receivers: Receivers,
  max: number,
): Promise<Message> {
  if (!(await isFull(db, receivers, max))) return message;
  return { ...message, state: "failed", lastProblem: TOO_MANY };
}

/** Whether the limit of waiting messages is reached. */
async function isFull(db: Queries, receivers: Receivers, max: number): Promise<boolean> {
  const { siteKeyHash, audience } = receivers;
  const destination = receivers.destination ?? null;
  const waiting = await countRows(
    db,
    `(SELECT 1 FROM outbox WHERE site_key_hash = ? AND state = 'waiting' AND audience = ?
       AND (CAST(? AS TEXT) IS NULL OR destination = ?) LIMIT ?) AS counted`,
    siteKeyHash,
    audience,
    destination,
    destination,
    max,
  );
  return waiting >= max;
}

/** The message is due, and no earlier message about the same subject waits for the same receiver. */
const DUE = `state = 'waiting' AND next_at <= ? AND (place IS NULL OR NOT EXISTS (
  SELECT 1 FROM outbox AS earlier WHERE earlier.about = outbox.about
    AND earlier.destination = outbox.destination AND earlier.place < outbox.place
    AND earlier.state = 'waiting'))`;

/** Destinations with due messages, the longest due first. */
export function dueDestinations(db: Queries, now: number, limit: number): Promise<string[]> {
  const from = `outbox WHERE ${DUE}
     GROUP BY destination ORDER BY MIN(next_at), destination LIMIT ?`;
  return selectValues<string>(db, "destination", from, now, limit);
}

/** Due messages to a destination. New ones come first, so that old failures do not delay them. */
export function dueMessages(
  db: Queries,
  destination: string,
  now: number,
  limit: number,
): Promise<Message[]> {
  return messages.all(
    db,
    `WHERE destination = ? AND ${DUE}
     ORDER BY CASE WHEN attempts = 0 THEN 0 ELSE 1 END, next_at, message_id LIMIT ?`,
    destination,
    now,
    limit,
  );
}

/**
 * Claims a due message for one try. Returns undefined if another process was faster, or an earlier
 * message about the subject waits again.
 */
export async function claimMessage(
  db: Queries,
  message: Message,
  now: number,
): Promise<Message | undefined> {
  const { messageId, attempts } = message;
  const nextAt = now + TRY_LEASE_MS;
  const claimed = await db.run(
    `UPDATE outbox SET attempts = ?, next_at = ? WHERE message_id = ? AND attempts = ? AND ${DUE}`,
    attempts + 1,
    nextAt,
    messageId,
    attempts,
    now,
  );
  return claimed === 1 ? { ...message, attempts: attempts + 1, nextAt } : undefined;
}

/**
 * The destination has answered, so its waiting messages are retried now. Messages in a try, and
 * messages that it refused, stay as they are.
 */
export async function retryMessagesNow(
  db: Queries,
  destination: string,
  now: number,
): Promise<void> {
  await db.run(
    `UPDATE outbox SET next_at = ? WHERE destination = ? AND state = 'waiting' AND next_at > ?
       AND refused = 0`,
    now,
    destination,
    now + TRY_LEASE_MS,
  );
}

/** Writes the result of a try, unless another process took the message over or it was requeued. */
export async function writeTry(
  db: Queries,
  { messageId, attempts, nextAt: lease }: Message,
  { state, nextAt, refused, deliveredAt, lastProblem }: Message,
): Promise<void> {
  await db.run(
    `UPDATE outbox SET state = ?, next_at = ?, refused = ?, delivered_at = ?, last_problem = ?
     WHERE message_id = ? AND attempts = ? AND next_at = ? AND state = 'waiting'`,
    state,
    nextAt,
    refused ? 1 : 0,
    deliveredAt,
    lastProblem,
    messageId,
    attempts,
    lease,
  );
}

export const messageById = messages.ofSiteBy("message_id");

/**
 * Sends a message again from the beginning, and then all later messages about the same subject, so
 * that the newest state arrives last.
 */
export async function requeueMessage(
  tx: Transaction,
  { messageId, siteKeyHash, subjectId, destination, position }: Message,
  now: number,
) {
  await tx.run(
    `UPDATE outbox SET state = 'waiting', attempts = 0, since = ?, next_at = ?,
       refused = 0, delivered_at = NULL, last_problem = NULL
     WHERE message_id = ? OR (about = ? AND destination = ? AND place > ?)`,
    now,
    now,
    messageId,
    subjectId,
    destination,
    position,
  );
  tx.announce(OUTBOX_TOPIC, siteKeyHash);
}

/** The last messages about a subject, in order of creation. */
export async function messagesAbout(
  db: Queries,
  siteKeyHash: string,
  subjectId: string,
  limit: number,
): Promise<Message[]> {
  const newest = await messages.all(
    db,
    `WHERE about = ? AND site_key_hash = ?
     ORDER BY created_at DESC, place DESC, message_id DESC LIMIT ?`,
    subjectId,
    siteKeyHash,
    limit,
  );
  return newest.reverse();
}

export function listMessages(
  db: Queries,
  siteKeyHash: string,
  state: MessageState | undefined,
  page: ListPage,
): Promise<Message[]> {
  const where = [equals("site_key_hash", siteKeyHash), equals("state", state)];
  return messages.page(db, where, { by: ["created_at", "message_id"], newestFirst: false }, page);
}

/** Whether a message about a subject still waits to reach its platform, its buyer or the shop system. */
export function hasWaitingMessages(
  db: Queries,
  siteKeyHash: string,
  subjectId: string,
): Promise<boolean> {
  const from = `outbox WHERE about = ? AND site_key_hash = ? AND state = 'waiting'
     AND audience IN ('platform', 'buyer', 'shop')`;
  return rowExists(db, from, subjectId, siteKeyHash);
}

/** How many messages to the shop system of a site wait, or have failed. At most `max` of each are counted. */
export async function countShopMessages(
  db: Queries,
  siteKeyHash: string,
  max: number,
): Promise<{ readonly waiting: number; readonly failed: number }> {
  const count = (state: MessageState) => {
    const from = `(SELECT 1 FROM outbox WHERE site_key_hash = ? AND state = ? AND audience = 'shop'
       LIMIT ?) AS counted`;
    return countRows(db, from, siteKeyHash, state, max);
  };
  return { waiting: await count("waiting"), failed: await count("failed") };
}

/** Deletes the mails to the buyer about an order. Returns how many there were. */
export function deleteBuyerMails(tx: Transaction, orderId: string): Promise<number> {
  return tx.run("DELETE FROM outbox WHERE about = ? AND audience = 'buyer'", orderId);
}

/** Deletes the mails to the owner about these reviews, which name the buyer. Returns how many there were. */
export async function deleteReviewMails(
  tx: Transaction,
  siteKeyHash: string,
  escalationIds: readonly string[],
): Promise<number> {
  let deleted = 0;
  const sql = `DELETE FROM outbox WHERE about = ? AND site_key_hash = ? AND audience = 'owner'
     AND kind = 'mail'`;
  for (const id of escalationIds) deleted += await tx.run(sql, id, siteKeyHash);
  return deleted;
}

/** Replaces the messages to the platform about an order. Returns how many messages there were. */
export function replacePlatformMessages(
  tx: Transaction,
  orderId: string,
  body: string,
): Promise<number> {
  const sql = "UPDATE outbox SET body = ? WHERE about = ? AND audience = 'platform'";
  return tx.run(sql, body, orderId);
}

/** Deletes messages that ended before a time. Returns how many. */
export function deleteExpiredMessages(db: Queries, before: number, limit: number): Promise<number> {
  return db.run(
    `DELETE FROM outbox WHERE message_id IN (SELECT message_id FROM outbox
     WHERE state IN ('delivered', 'failed') AND next_at < ? LIMIT ?)`,
    before,
    limit,
  );
}

export const deleteMessages = deleterOf("outbox");
