import type { Context } from "../../context.js";
import type { ArchivedDay } from "../../domain/audit/archive/part.js";
import { archivedDays } from "../../domain/audit/archive/store.js";
import { INSTALLATION, type LogHead } from "../../domain/audit/log.js";
import { logsOfSite } from "../../domain/audit/store.js";
import { domainOfSite } from "../../domain/sites/store.js";

/** Archived days in one list: three years of one log. */
export const DAYS_LISTED_MAX = 1100;

/**
 * The logs of a site, or of the installation, newest first. A site from before there were logs gets
 * its first one now, and so does the installation when somebody first looks.
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
