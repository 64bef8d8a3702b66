import type { Queries, Transaction } from "../../infra/db/database.js";
import { type Message, type MessageState, OUTBOX_TOPIC, TRY_LEASE_MS } from "./message.js";

interface Row {
  message_id: string;
  site_key_hash: string;
  kind: Message["kind"];
  audience: Message["audience"];
  topic: string;
  about: string | null;
  place: number | null;
  destination: string;
  body: string;
  created_at: number;
  attempts: number;
  since: number | null;
  refused: number;
  next_at: number;
  state: MessageState;
  delivered_at: number | null;
  last_problem: string | null;
}

function messageOf(row: Row): Message {
  return Object.freeze({
    messageId: row.message_id,
    siteKeyHash: row.site_key_hash,
    kind: row.kind,
    audience: row.audience,
    topic: row.topic,
    subjectId: row.about,
    position: row.place,
    destination: row.destination,
    body: row.body,
    createdAt: row.created_at,
    attempts: row.attempts,
    since: row.since ?? row.created_at,
    refused: row.refused === 1,
    nextAt: row.next_at,
    state: row.state,
    deliveredAt: row.delivered_at,
    lastProblem: row.last_problem,
  });
}

/** Writes messages in the transaction of the change they report, and wakes the delivery. */
export async function insertMessages(tx: Transaction, messages: readonly Message[]): Promise<void> {
  const [first] = messages;
  if (first === undefined) return;
  await tx.insert(
    "outbox",
    messages.map((message) => ({
      message_id: message.messageId,
      site_key_hash: message.siteKeyHash,
      kind: message.kind,
      audience: message.audience,
      topic: message.topic,
      about: message.subjectId,
      place: message.position,
      destination: message.destination,
      body: message.body,
      created_at: message.createdAt,
      attempts: message.attempts,
      since: message.since,
      next_at: message.nextAt,
      state: message.state,
      delivered_at: message.deliveredAt,
      last_problem: message.lastProblem,
    })),
  );
  await tx.announce(OUTBOX_TOPIC, first.siteKeyHash);
}

/** All receivers of one audience of a site, or one of them. */
type Receivers = Pick<Message, "siteKeyHash" | "audience"> & {
  readonly destination?: string;
};

const TOO_MANY = "too many messages were waiting when it was written";

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
  const row = await db.get<{ waiting: number }>(
    `SELECT COUNT(*) AS waiting FROM (SELECT 1 FROM outbox
     WHERE site_key_hash = ? AND state = 'waiting' AND audience = ?
       AND (CAST(? AS TEXT) IS NULL OR destination = ?) LIMIT ?) AS counted`,
    siteKeyHash,
    audience,
    destination,
    destination,
    max,
  );
  return (row?.waiting ?? 0) >= max;
}

/** The message is due, and no earlier message about the same subject waits for the same receiver. */
const DUE = `state = 'waiting' AND next_at <= ? AND (place IS NULL OR NOT EXISTS (
  SELECT 1 FROM outbox AS earlier WHERE earlier.about = outbox.about
    AND earlier.destination = outbox.destination AND earlier.place < outbox.place
    AND earlier.state = 'waiting'))`;

/** Destinations with due messages, the longest due first. */
export async function dueDestinations(db: Queries, now: number, limit: number): Promise<string[]> {
  const rows = await db.all<{ destination: string }>(
    `SELECT destination FROM outbox WHERE ${DUE}
     GROUP BY destination ORDER BY MIN(next_at), destination LIMIT ?`,
    now,
    limit,
  );
  return rows.map(({ destination }) => destination);
}

/** Due messages to a destination. New ones come first, so that old failures do not delay them. */
export async function dueMessages(
  db: Queries,
  destination: string,
  now: number,
  limit: number,
): Promise<Message[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM outbox WHERE destination = ? AND ${DUE}
     ORDER BY CASE WHEN attempts = 0 THEN 0 ELSE 1 END, next_at, message_id LIMIT ?`,
    destination,
    now,
    limit,
  );
  return rows.map(messageOf);
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

export async function messageById(
  db: Queries,
  siteKeyHash: string,
  messageId: string,
): Promise<Message | undefined> {
  const sql = "SELECT * FROM outbox WHERE message_id = ? AND site_key_hash = ?";
  const row = await db.get<Row>(sql, messageId, siteKeyHash);
  return row && messageOf(row);
}

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
  await tx.announce(OUTBOX_TOPIC, siteKeyHash);
}

/** The last messages about a subject, in order of creation. */
export async function messagesAbout(
  db: Queries,
  siteKeyHash: string,
  subjectId: string,
  limit: number,
): Promise<Message[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM outbox WHERE about = ? AND site_key_hash = ?
     ORDER BY created_at DESC, place DESC, message_id DESC LIMIT ?`,
    subjectId,
    siteKeyHash,
    limit,
  );
  return rows.map(messageOf).reverse();
}

export async function listMessages(
  db: Queries,
  siteKeyHash: string,
  state: MessageState | undefined,
  page: {
    readonly after: { readonly createdAt: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<Message[]> {
  const { createdAt, id } = page.after ?? { createdAt: -1, id: "" };
  const rows = await db.all<Row>(
    `SELECT * FROM outbox WHERE site_key_hash = ? AND (created_at, message_id) > (?, ?)
       AND (CAST(? AS TEXT) IS NULL OR state = ?)
     ORDER BY created_at, message_id LIMIT ?`,
    siteKeyHash,
    createdAt,
    id,
    state ?? null,
    state ?? null,
    page.limit,
  );
  return rows.map(messageOf);
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

export async function deleteMessages(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM outbox WHERE site_key_hash = ?", siteKeyHash);
}
