import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { JsonObject } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../../platform/db/database.js";

/** UCP asks for a day and recommends two. */
export const REPLY_KEPT_MS = 48 * 3_600_000;

/** What a key of idempotency stands for. */
export interface ReplyKey {
  readonly siteKeyHash: string;
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
}

export interface StoredReply {
  /** Of the request that was answered. */
  readonly digest: string;
  /** Null, both, while what was asked for is under way. */
  readonly status: number | null;
  readonly body: JsonObject | null;
}

/** Many are kept, for two days: a fifth of their size is enough. */
const packed = (body: JsonObject) =>
  deflateRawSync(JSON.stringify(body), { level: 1 }).toString("base64");
const unpacked = (text: string) =>
  JSON.parse(inflateRawSync(Buffer.from(text, "base64")).toString("utf8")) as JsonObject;

const placeOf = ({ siteKeyHash, caller, operation, key }: ReplyKey) =>
  [siteKeyHash, caller, operation, key] as const;
const PLACE = "site_key_hash = ? AND caller = ? AND operation = ? AND idempotency_key = ?";

export async function replyOf(db: Queries, key: ReplyKey): Promise<StoredReply | undefined> {
  const row = await db.get<{ digest: string; status: number | null; body: string | null }>(
    `SELECT digest, status, body FROM ucp_replies WHERE ${PLACE}`,
    ...placeOf(key),
  );
  const body = row?.body ? unpacked(row.body) : null;
  return row && { digest: row.digest, status: row.status, body };
}

/** Takes a key for a request; false where another has it. Whoever has it under way is waited for. */
export async function claimKey(
  tx: Transaction,
  key: ReplyKey,
  { digest, now }: { readonly digest: string; readonly now: number },
): Promise<boolean> {
  const claimed = await tx.run(
    `INSERT INTO ucp_replies (site_key_hash, caller, operation, idempotency_key, digest, created_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...[...placeOf(key), digest, now],
  );
  return claimed === 1;
}

export async function writeReply(
  tx: Transaction,
  key: ReplyKey,
  { status, body }: { readonly status: number; readonly body: JsonObject },
): Promise<void> {
  const sql = `UPDATE ucp_replies SET status = ?, body = ? WHERE ${PLACE}`;
  await tx.run(sql, status, packed(body), ...placeOf(key));
}

/** How many are kept of a site, counted up to a number. */
export async function countReplies(db: Queries, siteKeyHash: string, max: number): Promise<number> {
  const sql = `SELECT COUNT(*) AS count FROM
     (SELECT 1 FROM ucp_replies WHERE site_key_hash = ? LIMIT ?) AS kept`;
  return Number((await db.get<{ count: number }>(sql, siteKeyHash, max))?.count ?? 0);
}

/** Gives a key back that nothing came of. */
export async function freeKey(tx: Transaction, key: ReplyKey): Promise<void> {
  await tx.run(`DELETE FROM ucp_replies WHERE ${PLACE}`, ...placeOf(key));
}

export async function forgetReplies(tx: Transaction, before: number): Promise<void> {
  await tx.run("DELETE FROM ucp_replies WHERE created_at < ?", before);
}

export async function deleteReplies(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM ucp_replies WHERE site_key_hash = ?", siteKeyHash);
}
