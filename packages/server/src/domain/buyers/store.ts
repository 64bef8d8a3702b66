import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf, selectValue, selectValues } from "../../infra/db/statements.js";
import { RETENTION_DAYS, type RetentionDays } from "./retention.js";

/** A request to erase what a buyer bought at a site until a time. */
export interface ErasureRequest {
  readonly siteKeyHash: string;
  readonly buyerMac: string;
  readonly requestedAt: number;
}

/** Idempotent. The later time counts. */
export async function requestErasure(
  tx: Queries,
  { siteKeyHash, buyerMac, requestedAt }: ErasureRequest,
): Promise<void> {
  await tx.run(
    `INSERT INTO erased_buyers (site_key_hash, buyer_mac, requested_at) VALUES (?, ?, ?)
     ON CONFLICT (site_key_hash, buyer_mac) DO UPDATE SET requested_at = excluded.requested_at
     WHERE excluded.requested_at > erased_buyers.requested_at`,
    siteKeyHash,
    buyerMac,
    requestedAt,
  );
}

/** When the erasure of a buyer was last requested; undefined if it never was. */
export function erasureRequestedAt(
  db: Queries,
  siteKeyHash: string,
  buyerMac: string,
): Promise<number | undefined> {
  const from = "erased_buyers WHERE site_key_hash = ? AND buyer_mac = ?";
  return selectValue<number>(db, "requested_at", from, siteKeyHash, buyerMac);
}

/** Requests with data that is still stored, in the order of sites and buyers. */
export function openErasures(
  db: Queries,
  after: Pick<ErasureRequest, "siteKeyHash" | "buyerMac">,
  limit: number,
): Promise<ErasureRequest[]> {
  return db.all<ErasureRequest>(
    `SELECT site_key_hash AS "siteKeyHash", buyer_mac AS "buyerMac", requested_at AS "requestedAt"
     FROM erased_buyers WHERE (site_key_hash, buyer_mac) > (?, ?)
       AND (EXISTS (SELECT 1 FROM checkouts WHERE checkouts.buyer_mac = erased_buyers.buyer_mac
           AND checkouts.site_key_hash = erased_buyers.site_key_hash)
         OR EXISTS (SELECT 1 FROM carts WHERE carts.buyer_mac = erased_buyers.buyer_mac
           AND carts.site_key_hash = erased_buyers.site_key_hash))
     ORDER BY site_key_hash, buyer_mac LIMIT ?`,
    after.siteKeyHash,
    after.buyerMac,
    limit,
  );
}

export async function retentionDays(db: Queries, siteKeyHash: string): Promise<RetentionDays> {
  const from = "buyer_settings WHERE site_key_hash = ?";
  const days = await selectValue<RetentionDays>(db, "retention_days", from, siteKeyHash);
  return days === undefined ? RETENTION_DAYS : days;
}

export async function writeRetentionDays(
  tx: Transaction,
  siteKeyHash: string,
  days: RetentionDays,
): Promise<void> {
  await tx.run(
    `INSERT INTO buyer_settings (site_key_hash, retention_days) VALUES (?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET retention_days = excluded.retention_days`,
    siteKeyHash,
    days,
  );
}

/** Sites with orders whose personal data is stored, without those that keep it for ever. */
export function sitesWithRetention(db: Queries): Promise<string[]> {
  return selectValues<string>(
    db,
    "site_key_hash",
    `sites WHERE deleted_at IS NULL
       AND EXISTS (SELECT 1 FROM orders
         WHERE orders.site_key_hash = sites.site_key_hash AND orders.erased_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM buyer_settings
         WHERE buyer_settings.site_key_hash = sites.site_key_hash AND retention_days IS NULL)
     ORDER BY site_key_hash`,
  );
}

export const deleteBuyers = deleterOf("erased_buyers", "buyer_settings");
