import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import type { RetentionDays } from "../../domain/buyers/retention.js";
import { retentionDays, writeRetentionDays } from "../../domain/buyers/store.js";

export function showRetention({ db }: Context, siteKeyHash: string): Promise<RetentionDays> {
  return retentionDays(db, siteKeyHash);
}

/** Sets how long a site keeps personal data after an order has ended. */
export async function setRetention(
  { audit, clock }: Context,
  siteKeyHash: string,
  days: RetentionDays,
  actor: Actor,
): Promise<RetentionDays> {
  await audit.commit(siteKeyHash, async (tx) => {
    await writeRetentionDays(tx, siteKeyHash, days);
    const change = { kind: "buyer_retention_set", retention_days: days ?? "never" };
    const record = actorDraft("site.changed", actor, clock.now(), { change });
    return { records: [record], answer: null };
  });
  return days;
}
