import type { Queries, Transaction } from "../../platform/db/database.js";
import { NO_SHOP, type ShopSettings } from "./shop-settings.js";

export async function shopSettings(db: Queries, siteKeyHash: string): Promise<ShopSettings> {
  const sql = "SELECT settings FROM shop_settings WHERE site_key_hash = ?";
  const row = await db.get<{ settings: string }>(sql, siteKeyHash);
  return row === undefined ? NO_SHOP : Object.freeze({ ...NO_SHOP, ...JSON.parse(row.settings) });
}

export async function writeShopSettings(
  tx: Transaction,
  siteKeyHash: string,
  settings: ShopSettings,
): Promise<void> {
  await tx.run(
    `INSERT INTO shop_settings (site_key_hash, settings) VALUES (?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET settings = excluded.settings`,
    ...[siteKeyHash, JSON.stringify(settings)],
  );
}

export async function deleteShopSettings(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM shop_settings WHERE site_key_hash = ?", siteKeyHash);
}
