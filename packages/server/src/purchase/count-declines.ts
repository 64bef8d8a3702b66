import type { Context } from "../context.js";
import { endAttempt, endDeclinedAttempt } from "../domain/declines/store.js";
import { countDecline, type HandOff } from "../domain/declines/waits.js";
import type { Payment } from "../domain/payments/payment.js";
import { domainOfSite } from "../domain/sites/store.js";
import type { Transaction } from "../infra/db/database.js";
import type { Found } from "./ask-processor.js";
import { DECLINED_OFTEN, declinesEvent, declinesMail } from "./declines-notice.js";
import { notifyOwner } from "./notify-owner.js";

/** Failures that say nothing about the card: the shop's key failed, or its owner cancelled. */
const NOT_THE_CARD: readonly string[] = ["processor_refused_key", "canceled", "released"];

const isDecline = (said: Found) =>
  said.outcome === "declined" && !NOT_THE_CARD.includes(said.reason);

async function notifyOfHandOff(
  { ids }: Context,
  tx: Transaction,
  { siteKeyHash }: Payment,
  { handOff, now }: { readonly handOff: HandOff; readonly now: number },
): Promise<void> {
  const domain = (await domainOfSite(tx, siteKeyHash)) ?? "";
  const about = { siteKeyHash, domain, ...handOff, now };
  await notifyOwner(tx, ids, {
    siteKeyHash,
    topic: DECLINED_OFTEN,
    now,
    event: (messageId) => declinesEvent(about, messageId),
    mail: () => declinesMail(about),
  });
}

/**
 * Counts the outcome of a payment in the transaction that writes it: each attempt once, whichever process
 * finds the outcome. Returns a function that updates the metrics after the commit.
 */
export async function countDeclines(
  context: Context,
  tx: Transaction,
  payment: Payment,
  said: Found,
  now: number,
): Promise<(() => void) | undefined> {
  if (said.outcome === "unknown") return undefined;
  if (!isDecline(said)) {
    await endAttempt(tx, payment.attemptId, now);
    return undefined;
  }
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
