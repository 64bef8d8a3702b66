import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { flag, json, Table } from "../../infra/db/table.js";
import type { NotifySettings } from "./notify-settings.js";

const NOWHERE: NotifySettings = Object.freeze({
  webhookUrl: null,
  webhookFormat: "json",
  emails: [],
  questions: true,
});

const settings = new Table<NotifySettings>("notify_settings", {
  webhookUrl: "webhook_url",
  webhookFormat: "webhook_format",
  emails: json("emails"),
  questions: flag("questions"),
});

export async function notifySettings(db: Queries, siteKeyHash: string): Promise<NotifySettings> {
  return (await settings.find(db, { site_key_hash: siteKeyHash })) ?? NOWHERE;
}

/** What {@link notifySettings} reads. */
export function readOfNotifySettings(siteKeyHash: string): ExpectedRead {
  return { kind: "find", table: "notify_settings", key: { site_key_hash: siteKeyHash } };
}

export function writeNotifySettings(
  tx: Transaction,
  siteKeyHash: string,
  changed: NotifySettings,
): Promise<void> {
  return settings.upsert(tx, changed, { key: ["site_key_hash"] }, { site_key_hash: siteKeyHash });
}

export const deleteNotifySettings = deleterOf("notify_settings");
