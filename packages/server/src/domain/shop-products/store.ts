import type { Queries, Transaction } from "../../infra/db/database.js";
import { countRows, deleterOf, selectValues } from "../../infra/db/statements.js";
import { Table } from "../../infra/db/table.js";

/** What a shop system last said about a product, which may be that it is gone. */
export interface ShopProduct {
  readonly siteKeyHash: string;
  readonly productId: string;
  readonly version: number;
  /** The full list that it was in last; null if none. */
  readonly syncId: string | null;
  readonly receivedAt: number;
}

const versions = new Table<ShopProduct>("shop_products", {
  siteKeyHash: "site_key_hash",
  productId: "product_id",
  version: "version",
  syncId: "sync_id",
  receivedAt: "received_at",
});

export function versionsAmong(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ShopProduct[]> {
  return versions.among(db, siteKeyHash, "product_id", ids);
}

export function writeVersion(tx: Transaction, product: ShopProduct): Promise<void> {
  return versions.upsert(tx, product, { key: ["site_key_hash", "product_id"] });
}

/** How many versions are kept of a site, up to a number. */
export function countVersions(db: Queries, siteKeyHash: string, max: number): Promise<number> {
  const from = "(SELECT 1 FROM shop_products WHERE site_key_hash = ? LIMIT ?) AS counted";
  return countRows(db, from, siteKeyHash, max);
}

/** A full list of products, and the time since which a change counts even if the list does not have it. */
export interface WholeList {
  readonly siteKeyHash: string;
  readonly syncId: string;
  readonly changedSince: number;
}

const KEPT = "site_key_hash = ? AND (sync_id = ? OR received_at >= ?)";

/** Those of these products that a full list has, or that have changed since. */
export async function keptAmong(
  db: Queries,
  { siteKeyHash, syncId, changedSince }: WholeList,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rest = `shop_products WHERE ${KEPT} AND product_id IN (${ids.map(() => "?").join(", ")})`;
  const values = [siteKeyHash, syncId, changedSince, ...ids];
  return new Set(await selectValues<string>(db, "product_id", rest, ...values));
}

/**
 * Deletes the versions of products that a full list does not have. Until then they keep a late message from
 * bringing back a product that is gone.
 */
export async function deleteOtherVersions(
  tx: Transaction,
  { siteKeyHash, syncId, changedSince }: WholeList,
): Promise<void> {
  await tx.run(
    `DELETE FROM shop_products WHERE site_key_hash = ? AND received_at < ?
       AND (sync_id IS NULL OR sync_id <> ?)`,
    siteKeyHash,
    changedSince,
    syncId,
  );
}

/** Deletes the versions of all products of a site: another shop system counts in another way. */
export const deleteVersions = deleterOf("shop_products");
