import type { Queries, Transaction } from "../../platform/db/database.js";
import { type Message, type MessageState, OUTBOX_TOPIC, TRY_LEASE_MS } from "./message.js";

interface Row {
  message_id: string;
  site_key_hash: string;
  kind: Message["kind"];
  topic: string;
  destination: string;
  body: string;
  created_at: number;
  attempts: number;
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
    topic: row.topic,
    destination: row.destination,
    body: row.body,
    createdAt: row.created_at,
    attempts: row.attempts,
    nextAt: row.next_at,
    state: row.state,
    deliveredAt: row.delivered_at,
    lastProblem: row.last_problem,
  });
}

/** Writes messages in the transaction of what they tell of, and wakes whoever delivers them. */
export async function insertMessages(tx: Transaction, messages: readonly Message[]): Promise<void> {
  const [first] = messages;
  if (first === undefined) return;
  await tx.insert(
    "outbox",
    messages.map((message) => ({
      message_id: message.messageId,
      site_key_hash: message.siteKeyHash,
      kind: message.kind,
      topic: message.topic,
      destination: message.destination,
      body: message.body,
      created_at: message.createdAt,
      attempts: message.attempts,
      next_at: message.nextAt,
      state: message.state,
      delivered_at: message.deliveredAt,
      last_problem: message.lastProblem,
    })),
  );
  await tx.announce(OUTBOX_TOPIC, first.siteKeyHash);
}

/** How many messages of a site wait; counted up to a number only. */
export async function countWaiting(db: Queries, siteKeyHash: string, upTo: number) {
  const row = await db.get<{ waiting: number }>(
    `SELECT COUNT(*) AS waiting FROM (SELECT 1 FROM outbox
     WHERE site_key_hash = ? AND state = 'waiting' LIMIT ?) AS counted`,
    ...[siteKeyHash, upTo],
  );
  return row?.waiting ?? 0;
}

/** Where something is due to, longest due first. */
export async function dueDestinations(db: Queries, now: number, limit: number): Promise<string[]> {
  const rows = await db.all<{ destination: string }>(
    `SELECT destination FROM outbox WHERE state = 'waiting' AND next_at <= ?
     GROUP BY destination ORDER BY MIN(next_at), destination LIMIT ?`,
    ...[now, limit],
  );
  return rows.map(({ destination }) => destination);
}

export async function dueMessages(
  db: Queries,
  destination: string,
  now: number,
  limit: number,
): Promise<Message[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM outbox WHERE destination = ? AND state = 'waiting' AND next_at <= ?
     ORDER BY next_at, message_id LIMIT ?`,
    ...[destination, now, limit],
  );
  return rows.map(messageOf);
}

/** Takes a due message for one try; undefined when another process was first. */
export async function claimMessage(
  db: Queries,
  message: Message,
  now: number,
): Promise<Message | undefined> {
  const { messageId, attempts } = message;
  const nextAt = now + TRY_LEASE_MS;
  const taken = await db.run(
    `UPDATE outbox SET attempts = ?, next_at = ?
     WHERE message_id = ? AND attempts = ? AND state = 'waiting' AND next_at <= ?`,
    ...[attempts + 1, nextAt, messageId, attempts, now],
  );
  return taken === 1 ? { ...message, attempts: attempts + 1, nextAt } : undefined;
}

/** Writes how a try ended, unless another has begun since. */
export async function writeTry(
  db: Queries,
  { messageId, attempts, state, nextAt, deliveredAt, lastProblem }: Message,
): Promise<void> {
  await db.run(
    `UPDATE outbox SET state = ?, next_at = ?, delivered_at = ?, last_problem = ?
     WHERE message_id = ? AND attempts = ? AND state = 'waiting'`,
    ...[state, nextAt, deliveredAt, lastProblem, messageId, attempts],
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

/** Has a message delivered from the beginning, whatever became of it. */
export async function requeueMessage(
  tx: Transaction,
  { messageId, siteKeyHash }: Message,
  now: number,
) {
  await tx.run(
    `UPDATE outbox SET state = 'waiting', attempts = 0, next_at = ?, delivered_at = NULL,
       last_problem = NULL WHERE message_id = ?`,
    ...[now, messageId],
  );
  await tx.announce(OUTBOX_TOPIC, siteKeyHash);
}

/** Messages of a site, in order of creation. */
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
    ...[siteKeyHash, createdAt, id, state ?? null, state ?? null, page.limit],
  );
  return rows.map(messageOf);
}

/** Drops messages that ended before a moment; returns how many. */
export function forgetMessages(db: Queries, before: number, limit: number): Promise<number> {
  return db.run(
    `DELETE FROM outbox WHERE message_id IN (SELECT message_id FROM outbox
     WHERE state IN ('delivered', 'failed') AND next_at < ? LIMIT ?)`,
    ...[before, limit],
  );
}

export async function deleteMessages(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM outbox WHERE site_key_hash = ?", siteKeyHash);
}
