import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { buyerMacOf } from "../../domain/buyers/address.js";
import { requestErasure } from "../../domain/buyers/store.js";
import { insertRevocations, siteScopedId } from "../../domain/revocations/store.js";
import { type ErasureReport, eraseRequested } from "./erase-requested.js";
import { readNewBuyers } from "./read-buyers.js";

/**
 * Erases everything about a buyer that is no longer needed. The request is stored first, so that a job erases the
 * rest when it has ended, after a crash, and after a restore of an older backup.
 */
export async function eraseBuyer(
  context: Context,
  siteKeyHash: string,
  email: string,
  actor: Actor,
): Promise<ErasureReport & { readonly requestedAt: number }> {
  const { audit, clock, revocations, secrets } = context;
  const buyerMac = buyerMacOf(secrets, siteKeyHash, email);
  const { answer: request } = await audit.commit(siteKeyHash, async (tx) => {
    const requestedAt = clock.now();
    const request = { siteKeyHash, buyerMac, requestedAt };
    await requestErasure(tx, request);
    const id = siteScopedId(siteKeyHash, buyerMac);
    await insertRevocations(tx, [{ kind: "buyer", id, revokedAt: requestedAt }]);
    const change = { kind: "buyer_erasure_requested", buyer: buyerMac };
    return {
      records: [actorDraft("site.changed", actor, requestedAt, { change })],
      answer: request,
    };
  });
  await revocations.write();
  context.crashPoint("buyers.requested");
  await readNewBuyers(context);
  const report = await eraseRequested(context, request, actor);
  return { ...report, requestedAt: request.requestedAt };
}
