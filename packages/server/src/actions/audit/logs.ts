import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { ArchivedDay } from "../../domain/audit/archive/part.js";
import { archivedDays } from "../../domain/audit/archive/store.js";
import type { NewEpoch } from "../../domain/audit/batch.js";
import { INSTALLATION, type LogHead } from "../../domain/audit/log.js";
import { logsOfSite } from "../../domain/audit/store.js";
import { domainOfSite } from "../../domain/sites/store.js";

/** Archived days in one list: three years of one log. */
export const DAYS_LISTED_MAX = 1100;

/**
 * The logs of a site or of the installation, newest first. A site that is older than the first version with
 * logs gets its first log now. So does the installation when somebody reads its logs for the first time.
 */
export async function siteLogs({ audit, db }: Context, siteKeyHash: string): Promise<LogHead[]> {
  const logs = await logsOfSite(db, siteKeyHash);
  if (logs.length > 0) return logs;
  const exists =
    siteKeyHash === INSTALLATION || (await domainOfSite(db, siteKeyHash)) !== undefined;
  if (!exists) return logs;
  await audit.maintainLog(siteKeyHash);
  return logsOfSite(db, siteKeyHash);
}

/** The archived days of a site's logs, newest first within a log. */
export function listArchivedDays({ db }: Context, siteKeyHash: string): Promise<ArchivedDay[]> {
  return archivedDays(db, siteKeyHash, DAYS_LISTED_MAX);
}

/**
 * Ends a site's log where it is and opens the next epoch, which names the reason. A log that is not frozen
 * is only ended with `force`.
 */
export async function renewLog(
  { audit, db, log }: Context,
  siteKeyHash: string,
  epoch: NewEpoch,
  { force }: { readonly force: boolean },
): Promise<Result<LogHead, "conflict">> {
  const newest = await audit.newest(db, siteKeyHash);
  if (!force && audit.freezeReason(newest?.chain ?? "") === undefined) {
    return refuse("conflict", "This log is not frozen. Set `force` to close it anyway.");
  }
  await audit.renew(siteKeyHash, epoch);
  const head = await audit.newest(db, siteKeyHash);
  if (head === undefined) throw new Error("a renewed log is not there");
  log.warn({ chain: head.chain, ...epoch }, "audit.log_renewed");
  return ok(head);
}
