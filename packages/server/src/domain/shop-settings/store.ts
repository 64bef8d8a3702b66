import type { Queries, Transaction } from "../../infra/db/database.js";
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
    siteKeyHash,
    JSON.stringify(settings),
  );
}

export async function deleteShopSettings(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM shop_settings WHERE site_key_hash = ?", siteKeyHash);
  await tx.run("DELETE FROM agreed_terms WHERE site_key_hash = ?", siteKeyHash);
}

/** Keeps a text that somebody was shown before buying. */
export async function keepTerms(
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

export async function agreedTerms(
  db: Queries,
  siteKeyHash: string,
  sha256: string,
): Promise<string | undefined> {
  const sql = "SELECT text FROM agreed_terms WHERE site_key_hash = ? AND sha256 = ?";
  return (await db.get<{ text: string }>(sql, siteKeyHash, sha256))?.text;
}
