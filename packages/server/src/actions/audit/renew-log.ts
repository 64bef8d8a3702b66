import type { Context } from "../../context.js";
import type { NewEpoch } from "../../domain/audit/batch.js";
import type { LogHead } from "../../domain/audit/log.js";

/** Ends a site's log where it is and opens the next epoch, which names the reason. */
export async function renewLog(
  { audit, db, log }: Context,
  siteKeyHash: string,
  why: NewEpoch,
): Promise<LogHead> {
  await audit.renew(siteKeyHash, why);
  const head = await audit.newest(db, siteKeyHash);
  if (head === undefined) throw new Error("a renewed log is not there");
  log.warn({ chain: head.chain, ...why }, "audit.log_renewed");
  return head;
}
