import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { flag, json, Table } from "../../infra/db/table.js";
import type { NotifySettings } from "./notify-settings.js";

const NOWHERE: NotifySettings = Object.freeze({
  webhookUrl: null,
  webhookFormat: "json",
  emails: [],
  questions: true,
  reachedAt: null,
});

const settings = new Table<NotifySettings>("notify_settings", {
  webhookUrl: "webhook_url",
  webhookFormat: "webhook_format",
  emails: json("emails"),
  questions: flag("questions"),
  reachedAt: "reached_at",
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

/** Notes that a message reached the owner, unless the addresses were changed at the same time. */
export async function noteReached(
  db: Queries,
  siteKeyHash: string,
  { webhookUrl, webhookFormat, emails }: NotifySettings,
  now: number,
): Promise<void> {
  await db.run(
    `UPDATE notify_settings SET reached_at = ? WHERE site_key_hash = ? AND reached_at IS NULL
       AND webhook_format = ? AND COALESCE(webhook_url, '') = ? AND emails = ?`,
    now,
    siteKeyHash,
    webhookFormat,
    webhookUrl ?? "",
    JSON.stringify(emails),
  );
}

export const deleteNotifySettings = deleterOf("notify_settings");
