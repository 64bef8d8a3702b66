import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { RecordProof } from "../../domain/audit/audit-log.js";
import type { PublishedCheckpoint } from "../../domain/audit/checkpoints.js";
import type { StoredRecord } from "../../domain/audit/log.js";
import { INSTALLATION, type LogHead } from "../../domain/audit/log.js";
import { logByChain } from "../../domain/audit/store.js";
import type { AuditPublic } from "../../domain/sites/site.js";
import { auditPublicOf } from "../../domain/sites/store.js";
import { HOUR_MS } from "../../infra/time.js";
import { siteLogs } from "./logs.js";

/** The reader: anybody, or somebody with a token for the site. */
export type Asker = "anybody" | "owner";

/** How much of a log a reader may see. */
async function shownSize(context: Context, head: LogHead, setting: AuditPublic, asker: Asker) {
  if (asker === "owner" || setting === "full") return head.size;
  const { audit, clock, db } = context;
  const hour = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
  return audit.sizeAt(db, head, hour);
}

async function settingOf(
  { db }: Context,
  siteKeyHash: string,
  asker: Asker,
): Promise<Result<AuditPublic, "not_found">> {
  // The installation's log is only for operators and auditors.
  const setting = siteKeyHash === INSTALLATION ? "owner" : await auditPublicOf(db, siteKeyHash);
  if (setting === undefined) return refuse("not_found", "There is no site with this key hash.");
  if (setting === "owner" && asker === "anybody") {
    return refuse("not_found", "Only the owner of this site can see its log.");
  }
  return ok(setting);
}

/** The newest checkpoint of a site's log that may be shown. */
export async function latestCheckpoint(
  context: Context,
  siteKeyHash: string,
  asker: Asker,
): Promise<Result<PublishedCheckpoint, "not_found">> {
  const { audit } = context;
  const setting = await settingOf(context, siteKeyHash, asker);
  if (!setting.ok) return setting;
  const [head] = await siteLogs(context, siteKeyHash);
  if (head === undefined) return refuse("not_found", "The site has no log.");
  const size = await shownSize(context, head, setting.value, asker);
  if (size === head.size) return ok(await audit.checkpoints.latest(head));
  return ok(await audit.checkpoints.at(head.chain, size));
}

export interface ProvenRecord {
  readonly record: StoredRecord;
  readonly proof: RecordProof;
}

/** Proves that a record is in its log. The content of the record is not public. */
export async function proveRecord(
  context: Context,
  siteKeyHash: string,
  recordId: string,
  asker: Asker,
): Promise<Result<ProvenRecord, "not_found">> {
  const { audit, db } = context;
  const setting = await settingOf(context, siteKeyHash, asker);
  if (!setting.ok) return setting;
  const record = await audit.reader.recordById(siteKeyHash, recordId);
  const head = record && (await logByChain(db, record.chain));
  if (record === undefined || head === undefined) {
    return refuse("not_found", "There is no record with this id in the site's log.");
  }
  const size = await shownSize(context, head, setting.value, asker);
  if (record.seq >= size) {
    return refuse("not_found", "The proof of this record is available from the next full hour on.");
  }
  return ok({ record, proof: await audit.prove(record, size) });
}
