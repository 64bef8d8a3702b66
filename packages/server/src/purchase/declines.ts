import type { Context } from "../context.js";
import { endDeclinedAttempt } from "../domain/declines/store.js";
import { countDecline, type HandOff } from "../domain/declines/waits.js";
import type { Payment } from "../domain/payments/payment.js";
import { domainOfSite } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import { DECLINED_OFTEN, declinesEvent, declinesMail } from "./notices/declines-notice.js";
import { noticeZone, notifyOwner } from "./notices/notify-owner.js";

async function notifyOfHandOff(
  { config: { baseUrl }, ids }: Context,
  tx: Transaction,
  { siteKeyHash }: Payment,
  { handOff, now }: { readonly handOff: HandOff; readonly now: number },
): Promise<void> {
  const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
  const notice = { siteKeyHash, domain, ...handOff, now };
  const timeZone = await noticeZone(tx, siteKeyHash);
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: DECLINED_OFTEN,
    now,
    event: (messageId) => declinesEvent(notice, messageId),
    mail: () => declinesMail(notice, { baseUrl, timeZone }),
  });
}

/**
 * Counts a declined payment in the transaction that writes its outcome, so that each attempt counts once.
 * Returns a function that updates the metrics after the commit.
 */
export async function countDeclines(
  context: Context,
  tx: Transaction,
  payment: Payment,
  now: number,
): Promise<(() => void) | undefined> {
  const caller = await endDeclinedAttempt(tx, payment.attemptId, now);
  if (caller === undefined) return undefined;
  const { waits, handOff } = await countDecline(tx, caller, now);
  if (handOff !== undefined) await notifyOfHandOff(context, tx, payment, { handOff, now });
  const { metrics } = context;
  return () => {
    const by = caller.admitted ? "admitted" : "unlisted";
    metrics.counter("gatehouse_payment_declines_total")({ caller: by });
    const begun = metrics.counter("gatehouse_decline_waits_total");
    for (const { kind } of waits) begun({ kind });
    if (handOff !== undefined) begun({ kind: "site" });
  };
}
