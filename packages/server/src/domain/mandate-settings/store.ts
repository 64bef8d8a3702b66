import type { Queries, Transaction } from "../../infra/db/database.js";
import { DEFAULTS, type MandateSettings } from "./mandate-settings.js";

interface Row {
  enabled: number;
  life_ms: number;
  auto_admit: string;
}

export async function mandateSettings(db: Queries, siteKeyHash: string): Promise<MandateSettings> {
  const sql = "SELECT enabled, life_ms, auto_admit FROM mandate_settings WHERE site_key_hash = ?";
  const row = await db.get<Row>(sql, siteKeyHash);
  if (row === undefined) return DEFAULTS;
  return Object.freeze({
    enabled: row.enabled === 1,
    lifeMs: row.life_ms,
    autoAdmit: JSON.parse(row.auto_admit) as string[],
  });
}

export async function writeMandateSettings(
  tx: Transaction,
  siteKeyHash: string,
  { enabled, lifeMs, autoAdmit }: MandateSettings,
): Promise<void> {
  const values = [enabled ? 1 : 0, lifeMs, JSON.stringify(autoAdmit)];
  await tx.run(
    `INSERT INTO mandate_settings (site_key_hash, enabled, life_ms, auto_admit) VALUES (?, ?, ?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET enabled = ?, life_ms = ?, auto_admit = ?`,
    siteKeyHash,
    ...values,
    ...values,
  );
}

export async function deleteMandateSettings(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM mandate_settings WHERE site_key_hash = ?", siteKeyHash);
}
