import type { ExpectedRead, Queries, Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { flag, json, Table } from "../../infra/db/table.js";
import { DEFAULTS, type MandateSettings } from "./mandate-settings.js";

const settings = new Table<MandateSettings>("mandate_settings", {
  enabled: flag("enabled"),
  lifeMs: "life_ms",
  autoAdmit: json("auto_admit"),
});

/** What {@link mandateSettings} reads. */
export function readOfSettings(siteKeyHash: string): ExpectedRead {
  return { kind: "find", table: "mandate_settings", key: { site_key_hash: siteKeyHash } };
}

export async function mandateSettings(db: Queries, siteKeyHash: string): Promise<MandateSettings> {
  return (await settings.find(db, { site_key_hash: siteKeyHash })) ?? DEFAULTS;
}

export function writeMandateSettings(
  tx: Transaction,
  siteKeyHash: string,
  changed: MandateSettings,
): Promise<void> {
  return settings.upsert(tx, changed, { key: ["site_key_hash"] }, { site_key_hash: siteKeyHash });
}

export const deleteMandateSettings = deleterOf("mandate_settings");
