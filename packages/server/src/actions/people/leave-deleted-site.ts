import type { Context } from "../../context.js";
import { removePerson } from "../../domain/access/people/remove.js";
import { accessOf, deleteAccess, rolesAt } from "../../domain/access/people/store.js";
import type { Actor, RecordDraft } from "../../domain/audit/drafts.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { keepLoweredRole } from "./lost-rights.js";
import { type PersonChange, personDrafts } from "./person-record.js";

/** Takes a site that is being deleted from everybody. Somebody without any other site is removed for good. */
export async function leaveDeletedSite(
  context: Context,
  tx: Transaction,
  siteKeyHash: string,
  actor: Actor,
): Promise<RecordDraft[]> {
  const now = context.clock.now();
  const had = await rolesAt(tx, siteKeyHash);
  for (const { personId, site } of had) {
    await keepLoweredRole(context, tx, { personId, site, role: null });
    await deleteAccess(tx, personId, site);
    if ((await accessOf(tx, personId)).length > 0) continue;
    await removePerson(tx, personId, now);
    await insertRevocations(tx, [{ kind: "person", id: personId, revokedAt: now }]);
  }
  const changes = had.map(({ personId, site }): PersonChange => {
    return { type: "person.changed", personId, site, role: null };
  });
  return personDrafts(context, tx, actor, changes);
}
