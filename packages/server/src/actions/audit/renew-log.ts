import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { NewEpoch } from "../../domain/audit/batch.js";
import type { LogHead } from "../../domain/audit/log.js";

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
    return refuse("conflict", "This log is not frozen. Set `force` to end it anyway.");
  }
  await audit.renew(siteKeyHash, epoch);
  const head = await audit.newest(db, siteKeyHash);
  if (head === undefined) throw new Error("a renewed log is not there");
  log.warn({ chain: head.chain, ...epoch }, "audit.log_renewed");
  return ok(head);
}
