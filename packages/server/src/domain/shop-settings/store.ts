import type { Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf, selectValue } from "../../infra/db/statements.js";
import { NO_SHOP, type ShopSettings } from "./shop-settings.js";

export async function shopSettings(db: Queries, siteKeyHash: string): Promise<ShopSettings> {
  const row = await db.find<{ settings: string }>("shop_settings", { site_key_hash: siteKeyHash });
  return row === undefined ? NO_SHOP : Object.freeze({ ...NO_SHOP, ...JSON.parse(row.settings) });
}

/** The settings of the shops after one, in the order of their sites. */
export async function shopSettingsAfter(
  db: Queries,
  siteKeyHash: string,
  limit: number,
): Promise<readonly { readonly siteKeyHash: string; readonly settings: ShopSettings }[]> {
  const rows = await db.all<{ site_key_hash: string; settings: string }>(
    `SELECT site_key_hash, settings FROM shop_settings
     WHERE site_key_hash > ? ORDER BY site_key_hash LIMIT ?`,
    siteKeyHash,
    limit,
  );
  return rows.map((row) => ({
    siteKeyHash: row.site_key_hash,
    settings: Object.freeze({ ...NO_SHOP, ...JSON.parse(row.settings) }),
  }));
}

export async function writeShopSettings(
  tx: Transaction,
  siteKeyHash: string,
  settings: ShopSettings,
): Promise<void> {
  await tx.run(
    `INSERT INTO shop_settings (site_key_hash, settings) VALUES (?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET settings = excluded.settings`,
    siteKeyHash,
    JSON.stringify(settings),
  );
}

export const deleteShopSettings = deleterOf("shop_settings", "agreed_terms");

/** Stores terms that a buyer was shown. */
export async function storeTerms(
  tx: Transaction,
  siteKeyHash: string,
  { sha256, text, now }: { readonly sha256: string; readonly text: string; readonly now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO agreed_terms (site_key_hash, sha256, text, first_used_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    siteKeyHash,
    sha256,
    text,
    now,
  );
}

export function agreedTerms(
  db: Queries,
  siteKeyHash: string,
  sha256: string,
): Promise<string | undefined> {
  const from = "agreed_terms WHERE site_key_hash = ? AND sha256 = ?";
  return selectValue<string>(db, "text", from, siteKeyHash, sha256);
}
