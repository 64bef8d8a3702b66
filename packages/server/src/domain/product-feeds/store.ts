import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { jsonOrNull, Table } from "../../infra/db/table.js";
import { type FeedResult, nextFetchAt, type ProductFeed } from "./product-feed.js";

const feeds = new Table<ProductFeed>("product_feeds", {
  siteKeyHash: "site_key_hash",
  url: "url",
  everyHours: "every_hours",
  currency: "currency",
  format: "format",
  etag: "etag",
  lastModified: "last_modified",
  nextAt: "next_at",
  claimedUntil: "claimed_until",
  result: jsonOrNull<FeedResult>("result"),
});

export const productFeed = feeds.by("site_key_hash");

/** Writes the owner's settings, and what of the last fetch still holds with them. */
export function writeFeed(tx: Transaction, feed: ProductFeed): Promise<void> {
  return feeds.upsert(tx, feed, { key: ["site_key_hash"] });
}

/** The sites whose feed is due, the longest overdue first. */
export function dueFeeds(db: Queries, now: number, limit: number): Promise<ProductFeed[]> {
  const rest = `WHERE next_at <= ? AND (claimed_until IS NULL OR claimed_until < ?)
     ORDER BY next_at, site_key_hash LIMIT ?`;
  return feeds.all(db, rest, now, now, limit);
}

/** Takes the lease of a feed that is due by a time. Returns false if another node has it or has fetched it. */
export async function claimFeed(
  db: Queries,
  siteKeyHash: string,
  { now, until, dueBy }: { readonly now: number; readonly until: number; readonly dueBy: number },
): Promise<boolean> {
  const sql = `UPDATE product_feeds SET claimed_until = ?
     WHERE site_key_hash = ? AND next_at <= ? AND (claimed_until IS NULL OR claimed_until < ?)`;
  return (await db.run(sql, until, siteKeyHash, dueBy, now)) === 1;
}

/**
 * Gives the lease back, and writes what the fetch came to. Writes nothing and returns false if the owner changed the
 * address meanwhile.
 */
export async function finishFetch(
  tx: Transaction,
  feed: ProductFeed,
  result: FeedResult,
): Promise<boolean> {
  const { siteKeyHash, url } = feed;
  await tx.run(
    "UPDATE product_feeds SET claimed_until = NULL WHERE site_key_hash = ?",
    siteKeyHash,
  );
  const row = feeds.rowOf({ ...feed, nextAt: nextFetchAt(feed, result), result });
  const columns = ["format", "etag", "last_modified", "next_at", "result"];
  const where = "site_key_hash = ? AND url = ?";
  return (await feeds.update(tx, row, columns, where, siteKeyHash, url)) === 1;
}

export const deleteFeed = deleterOf("product_feeds");
