import type { Context } from "../../context.js";
import { liveDescendants, rootOf } from "../../domain/access/descent/store.js";
import { type Person, principalOfPerson } from "../../domain/access/people/person.js";
import { removePerson } from "../../domain/access/people/remove.js";
import {
  accessOf,
  claimAddress,
  livePersonByEmail,
  markProven,
  personById,
  setAccess,
} from "../../domain/access/people/store.js";
import type { Principal } from "../../domain/access/principal.js";
import { principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { revokeAll } from "../tokens/revoke-token.js";
import { resetSignIn } from "./lost-rights.js";
import { type PersonChange, personDrafts } from "./person-record.js";

/**
 * The person to whom the address of an invitation belongs, once its mailed link was used: the invited person, or
 * somebody who has the address already.
 */
export async function holderOfAddress(
  tx: Transaction,
  { personId, sharedEmail }: Person,
): Promise<string> {
  if (sharedEmail === null) return personId;
  const holder = await livePersonByEmail(tx, sharedEmail);
  if (holder === undefined) {
    await claimAddress(tx, personId);
    return personId;
  }
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

/**
 * Ends what others may have as a person whose address is not proven, because a link of theirs was handed over:
 * sessions, ways to sign in, and tokens. Otherwise these would count as the person from now on. Returns the records.
 */
export async function endOthersAs(
  context: Context,
  tx: Transaction,
  personId: string,
  by: Principal,
): Promise<RecordDraft[]> {
  await resetSignIn(context, tx, personId);
  const tokens = await liveDescendants(tx, personId, context.clock.now());
  return revokeAll(context, tx, tokens, { by, ancestor: personId });
}

/**
 * As {@link endOthersAs}, for somebody who shows now that the address is theirs. Who counted as themselves before, such as the
 * first owner, keeps everything, unless the link was made for another invitation.
 */
export async function proveAddress(
  context: Context,
  tx: Transaction,
  personId: string,
  { merged }: { readonly merged: boolean },
): Promise<RecordDraft[]> {
  const person = await personById(tx, personId);
  const by = principalOfPerson(personId, await accessOf(tx, personId), null);
  if (person === undefined || by === undefined) return [];
  const isHeld =
    person.provenAt === null &&
    (merged || (person.joinedAt !== null && (await rootOf(tx, personId)) !== personId));
  await markProven(tx, personId, context.clock.now());
  return isHeld ? endOthersAs(context, tx, personId, by) : [];
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
  const tokens = await liveDescendants(tx, invitedId, now);
  const revoked = await revokeAll(context, tx, tokens, { by, ancestor: invitedId });
  await removePerson(tx, invitedId, now);
  await insertRevocations(tx, [{ kind: "person", id: invitedId, revokedAt: now }]);
  return [...(await personDrafts(context, tx, principalActor(by), changes)), ...revoked];
}
