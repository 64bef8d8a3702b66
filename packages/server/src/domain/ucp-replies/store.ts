import type { JsonObject } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../infra/db/database.js";
import { packJson, unpackJson } from "../../infra/db/table.js";
import {
  countBytes,
  deleteCounted,
  type Holder,
  rowBytes,
} from "../../infra/quota/stored-bytes.js";
import { DAY_MS, HOUR_MS } from "../../infra/time.js";

/** UCP requires a day and recommends two. */
export const REPLY_STORED_MS = 48 * HOUR_MS;
const UNSIGNED_REPLY_STORED_MS = DAY_MS;

/**
 * When a reply may be deleted to free space. `never`: money may have been spent for it. `last`: only the
 * key prevents a second execution if somebody who saw the request sends it again, so it goes after
 * everything such a request could change.
 */
type Evicted = "any_time" | "last" | "never";

/** The stored values. */
const PINNED: Readonly<Record<Evicted, number>> = { any_time: 0, never: 1, last: 2 };

/** The scope of an idempotency key. */
export interface ReplyKey {
  readonly siteKeyHash: string;
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
  /** Whose share of the site's stored bytes its reply uses. */
  readonly holder: Holder;
  readonly evicted: Evicted;
}

export interface StoredReply {
  /** The digest of the request. */
  readonly digest: string;
  /** Status and body are null while the request is under way. */
  readonly status: number | null;
  readonly body: JsonObject | null;
}

/** Prefix for callers that proved who they are. */
export const SIGNED = "signed ";

type ReplyRow = Pick<ReplyKey, "caller" | "operation" | "key" | "holder"> & {
  readonly bytes: number;
};

const primaryKeyOf = ({
  siteKeyHash,
  caller,
  operation,
  key,
}: Omit<ReplyKey, "holder" | "evicted">) => [siteKeyHash, caller, operation, key] as const;
const PLACE = "site_key_hash = ? AND caller = ? AND operation = ? AND idempotency_key = ?";

export async function replyOf(db: Queries, key: ReplyKey): Promise<StoredReply | undefined> {
  const row = await db.get<{ digest: string; status: number | null; body: string | null }>(
    `SELECT digest, status, body FROM ucp_replies WHERE ${PLACE}`,
    ...primaryKeyOf(key),
  );
  const body = row?.body ? unpackJson<JsonObject>(row.body) : null;
  return row && { digest: row.digest, status: row.status, body };
}

/**
 * Claims a key for a request. Returns false if another request has it, and waits for a claim under
 * way.
 */
export async function claimKey(
  tx: Transaction,
  key: ReplyKey,
  { digest, now }: { readonly digest: string; readonly now: number },
): Promise<boolean> {
  const claimed = await tx.run(
    `INSERT INTO ucp_replies
       (site_key_hash, caller, operation, idempotency_key, digest, created_at, holder, pinned)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...primaryKeyOf(key),
    digest,
    now,
    key.holder,
    PINNED[key.evicted],
  );
  return claimed === 1;
}

/** A reply to store. */
interface NewReply {
  readonly status: number;
  readonly body: JsonObject;
  /** The cart or checkout that it shows; null if it shows none. */
  readonly subjectId: string | null;
}

export async function writeReply(
  tx: Transaction,
  key: ReplyKey,
  { status, body, subjectId }: NewReply,
): Promise<void> {
  const text = packJson(body);
  const bytes = rowBytes(key.caller, key.operation, key.key, text);
  // Only the first answer is stored and counted.
  const sql = `UPDATE ucp_replies SET status = ?, body = ?, subject_id = ?, bytes = ?
    WHERE ${PLACE} AND bytes = 0`;
  const written = await tx.run(sql, status, text, subjectId, bytes, ...primaryKeyOf(key));
  if (written === 1) await countBytes(tx, key.siteKeyHash, key.holder, bytes);
}

/** Replaces the stored replies that show a cart or checkout. Returns how many there were. */
export async function replaceReplies(
  tx: Transaction,
  siteKeyHash: string,
  subjectId: string,
  body: JsonObject,
): Promise<number> {
  const text = packJson(body);
  const replies = await tx.all<ReplyRow>(
    `SELECT caller, operation, idempotency_key AS key, holder, bytes FROM ucp_replies
     WHERE subject_id = ? AND site_key_hash = ? AND body IS NOT NULL AND body <> ?`,
    subjectId,
    siteKeyHash,
    text,
  );
  for (const { bytes: before, ...reply } of replies) {
    const bytes = rowBytes(reply.caller, reply.operation, reply.key, text);
    const sql = `UPDATE ucp_replies SET body = ?, bytes = ? WHERE ${PLACE}`;
    await tx.run(sql, text, bytes, ...primaryKeyOf({ ...reply, siteKeyHash }));
    await countBytes(tx, siteKeyHash, reply.holder, bytes - before);
  }
  return replies.length;
}

/** Releases a key whose request had no effect. */
export async function freeKey(tx: Transaction, key: ReplyKey): Promise<void> {
  await tx.run(`DELETE FROM ucp_replies WHERE ${PLACE}`, ...primaryKeyOf(key));
}

export async function deleteExpiredReplies(tx: Transaction, now: number): Promise<void> {
  const over = `created_at < ?
     OR (created_at < ? AND caller NOT LIKE '${SIGNED}%' AND pinned = 0)`;
  await deleteCounted(
    tx,
    "ucp_replies",
    over,
    now - REPLY_STORED_MS,
    now - UNSIGNED_REPLY_STORED_MS,
  );
}

const evictPinned =
  (pinned: number) =>
  (tx: Transaction, siteKeyHash: string, holder: Holder, rows: number): Promise<number> => {
    const place = "site_key_hash, caller, operation, idempotency_key";
    const oldest = `(${place}) IN (SELECT ${place} FROM ucp_replies
     WHERE site_key_hash = ? AND holder = ? AND pinned = ?
     ORDER BY created_at, idempotency_key LIMIT ?)`;
    return deleteCounted(tx, "ucp_replies", oldest, siteKeyHash, holder, pinned, rows);
  };

/** Deletes a holder's oldest replies. Returns how many bytes that frees. */
export const evictReplies = evictPinned(PINNED.any_time);

/** The same for replies to signatures without a time, when nothing else of the holder is left. */
export const evictLastReplies = evictPinned(PINNED.last);

export async function deleteReplies(tx: Transaction, siteKeyHash: string): Promise<void> {
  await deleteCounted(tx, "ucp_replies", "site_key_hash = ?", siteKeyHash);
}
