import type { Queries, Transaction } from "../../infra/db/database.js";
import type { NotifySettings } from "./notify-settings.js";

const NOWHERE: NotifySettings = Object.freeze({ webhookUrl: null, emails: [] });

interface Row {
  webhook_url: string | null;
  emails: string;
}

export async function notifySettings(db: Queries, siteKeyHash: string): Promise<NotifySettings> {
  const sql = "SELECT webhook_url, emails FROM notify_settings WHERE site_key_hash = ?";
  const row = await db.get<Row>(sql, siteKeyHash);
  if (row === undefined) return NOWHERE;
  const emails = JSON.parse(row.emails) as string[];
  return Object.freeze({ webhookUrl: row.webhook_url, emails });
}

export async function writeNotifySettings(
  tx: Transaction,
  siteKeyHash: string,
  { webhookUrl, emails }: NotifySettings,
): Promise<void> {
  const values = [webhookUrl, JSON.stringify(emails)];
  await tx.run(
    `INSERT INTO notify_settings (site_key_hash, webhook_url, emails) VALUES (?, ?, ?)
     ON CONFLICT (site_key_hash) DO UPDATE SET webhook_url = ?, emails = ?`,
    siteKeyHash,
    ...values,
    ...values,
  );
}

export async function deleteNotifySettings(tx: Transaction, siteKeyHash: string): Promise<void> {
  await tx.run("DELETE FROM notify_settings WHERE site_key_hash = ?", siteKeyHash);
}
