import type { Queries, Transaction } from "../../../infra/db/database.js";
import { countRows, selectValues } from "../../../infra/db/statements.js";
import { flag, Table } from "../../../infra/db/table.js";
import { changedFields, type ListedProduct, type Product } from "../product.js";
import { OWN, products, setPaused } from "../store.js";

/** Where a product stands with the site's feed. */
interface FeedState {
  readonly productId: string;
  /** Whether the feed lists it, or did. */
  readonly fromFeed: boolean;
  readonly missingSince: number | null;
}

const states = new Table<FeedState>("products", {
  productId: "product_id",
  fromFeed: flag("from_feed"),
  missingSince: "missing_since",
});

const marksFor = (ids: readonly string[]) => ids.map(() => "?").join(", ");

/**
 * Those of the products of a list that the site does not have, or has otherwise. With `updates`, fields that a line
 * leaves out stay as they are; without, leaving a field out changes a product that has it.
 */
export async function changesOf(
  db: Queries,
  siteKeyHash: string,
  listed: readonly ListedProduct[],
  { updates }: { readonly updates: boolean },
): Promise<{ readonly added: ListedProduct[]; readonly changed: ListedProduct[] }> {
  const ids = listed.map(({ productId }) => productId);
  const known = await products.among(db, siteKeyHash, "product_id", ids);
  const stands = await states.among(db, siteKeyHash, "product_id", ids);
  const byId = new Map(known.map((product) => [product.productId, product]));
  const listedBefore = new Set(
    stands
      .filter(({ fromFeed, missingSince }) => fromFeed && missingSince === null)
      .map(({ productId }) => productId),
  );
  const isKnown = ({ productId }: ListedProduct) => byId.has(productId);
  const isUnchanged = (one: ListedProduct) =>
    listedBefore.has(one.productId) &&
    changedFields(byId.get(one.productId) as Product, one, updates).length === 0;
  return {
    added: listed.filter((one) => !isKnown(one)),
    changed: listed.filter((one) => isKnown(one) && !isUnchanged(one)),
  };
}

const LISTED = "products WHERE site_key_hash = ? AND from_feed = 1 AND missing_since IS NULL";

/** How many products the feed listed when it was applied last. */
export function countListed(db: Queries, siteKeyHash: string): Promise<number> {
  return countRows(db, LISTED, siteKeyHash);
}

/** A page of the ids that the feed listed when it was applied last. */
export function listedIds(
  db: Queries,
  siteKeyHash: string,
  page: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rest = `${LISTED} AND product_id > ? ORDER BY product_id LIMIT ?`;
  return selectValues<string>(db, "product_id", rest, siteKeyHash, page.after, page.limit);
}

/** Notes that the feed lists these products. Those that were paused because it did not are on sale again. */
export async function markListed(
  tx: Transaction,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<void> {
  const at = `site_key_hash = ? AND product_id IN (${marksFor(ids)})`;
  const back = await products.all(tx, `WHERE ${at} AND feed_paused = 1`, siteKeyHash, ...ids);
  for (const product of back) await setPaused(tx, siteKeyHash, product, false);
  const sql = `UPDATE products SET from_feed = 1, missing_since = NULL WHERE ${at}`;
  await tx.run(sql, siteKeyHash, ...ids);
}

/** Counts every product of a site as listed. What the first full list of its shop system leaves out is missing then. */
export async function adoptProducts(tx: Transaction, siteKeyHash: string): Promise<void> {
  const sql = `UPDATE products SET from_feed = 1, missing_since = NULL
     WHERE site_key_hash = ? AND from_feed = 0 AND ${OWN}`;
  await tx.run(sql, siteKeyHash);
}

/** Takes products off sale that the feed does not list any more. Those that their owner paused stay so for good. */
export async function pauseMissing(
  tx: Transaction,
  siteKeyHash: string,
  ids: readonly string[],
  now: number,
): Promise<number> {
  return tx.run(
    `UPDATE products SET missing_since = ?, feed_paused = 1 - paused, paused = 1, title_words = '', body_words = ''
     WHERE site_key_hash = ? AND from_feed = 1 AND missing_since IS NULL AND product_id IN (${marksFor(ids)})`,
    now,
    siteKeyHash,
    ...ids,
  );
}

/** Takes off sale all that a shop system lists, because nobody knows its stock any more. */
export async function pauseListed(tx: Queries, siteKeyHash: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE products SET missing_since = ?, feed_paused = 1 - paused, paused = 1, title_words = '', body_words = ''
     WHERE site_key_hash = ? AND from_feed = 1 AND missing_since IS NULL`,
    now,
    siteKeyHash,
  );
}

const LONG_MISSING =
  "products WHERE site_key_hash = ? AND feed_paused = 1 AND missing_since < ? AND reserved = 0";

/** How many products have been missing since before a time, and nobody is paying for. */
export function countLongMissing(
  db: Queries,
  siteKeyHash: string,
  before: number,
): Promise<number> {
  return countRows(db, LONG_MISSING, siteKeyHash, before);
}

/** Removes them. Returns how many. */
export function removeLongMissing(
  tx: Transaction,
  siteKeyHash: string,
  before: number,
): Promise<number> {
  return tx.run(`DELETE FROM ${LONG_MISSING}`, siteKeyHash, before);
}

/** Leaves the products as they are when their feed is removed. */
export async function releaseProducts(tx: Transaction, siteKeyHash: string): Promise<void> {
  const sql = `UPDATE products SET from_feed = 0, missing_since = NULL, feed_paused = 0
     WHERE site_key_hash = ? AND from_feed = 1`;
  await tx.run(sql, siteKeyHash);
}
