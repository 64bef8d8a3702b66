import type { Context } from "../../context.js";
import { liveDescendants } from "../../domain/access/descent/store.js";
import type { Person } from "../../domain/access/people/person.js";
import { removePerson } from "../../domain/access/people/remove.js";
import {
  accessOf,
  claimAddress,
  livePersonByEmail,
  setAccess,
} from "../../domain/access/people/store.js";
import type { Principal } from "../../domain/access/principal.js";
import { principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { revokeAll } from "../tokens/revoke-token.js";
import { type PersonChange, personDrafts, resetSignIn } from "./person-record.js";

/**
 * The person to whom the address of an invitation belongs, once its mailed link was used: the invited person, or
 * somebody who has the address already.
 */
export async function holderOfAddress(
  context: Context,
  tx: Transaction,
  { personId, sharedEmail }: Person,
): Promise<string> {
  if (sharedEmail === null) return personId;
  const holder = await livePersonByEmail(tx, sharedEmail);
  if (holder === undefined) {
    await claimAddress(tx, personId);
    return personId;
  }
  // Somebody else may have used the link of an earlier invitation that was handed over.
  if (holder.provenAt === null) await resetSignIn(context, tx, holder.personId);
  for (const one of await addedRoles(tx, personId, holder.personId)) await setAccess(tx, one);
  return holder.personId;
}

/** The roles of an invitation at sites where the holder of the address has none. */
async function addedRoles(tx: Transaction, invitedId: string, holderId: string) {
  const had = (await accessOf(tx, holderId)).map(({ site }) => site);
  const given = await accessOf(tx, invitedId);
  return given
    .filter(({ site }) => !had.includes(site))
    .map((one) => ({ ...one, personId: holderId }));
}

/** Ends a person whose invitation somebody else has taken, with the tokens they made; returns the records. */
export async function endInvited(
  context: Context,
  tx: Transaction,
  invitedId: string,
  by: Principal,
): Promise<RecordDraft[]> {
  const now = context.clock.now();
  const changes = (await accessOf(tx, invitedId)).flatMap(({ site }): PersonChange[] => {
    const role = by.siteRoles?.[site] ?? by.role;
    return [
      { type: "person.changed", personId: by.id, site, role },
      { type: "person.changed", personId: invitedId, site, role: null },
    ];
  });
  const made = await liveDescendants(tx, invitedId, now);
  const revoked = await revokeAll(context, tx, made, { by, ancestor: invitedId });
  await removePerson(tx, invitedId, now);
  await insertRevocations(tx, [{ kind: "person", id: invitedId, revokedAt: now }]);
  return [...(await personDrafts(context, tx, principalActor(by), changes)), ...revoked];
}
