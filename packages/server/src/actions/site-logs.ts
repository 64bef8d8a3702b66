import type { Context } from "../context.js";
import type { LogHead } from "../owners/audit/log.js";
import { logsOfSite } from "../owners/audit/store.js";
import { domainOfSite } from "../owners/sites/store.js";

/** The logs of a site, newest first. A site from before there were logs gets its first one now. */
export async function siteLogs({ audit, db }: Context, siteKeyHash: string): Promise<LogHead[]> {
  const logs = await logsOfSite(db, siteKeyHash);
  if (logs.length > 0 || (await domainOfSite(db, siteKeyHash)) === undefined) return logs;
  await audit.tend(siteKeyHash);
  return logsOfSite(db, siteKeyHash);
}
