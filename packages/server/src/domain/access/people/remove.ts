import type { Queries, Transaction } from "../../../infra/db/database.js";
import { deleteAllLinks, deleteExpiredLinks, deleteLinksOf } from "../links/store.js";
import { deleteAllPasskeys, deletePasskeysOf, deleteSpentChallenges } from "../passkeys/store.js";
import { deleteExpiredSessions, endSessionsOf } from "../sessions/store.js";
import { deleteSubject, markRemoved, suspendPeople } from "./store.js";

/**
 * Takes every way to sign in from a person, and signs them out. The sessions come last: a sign-in that has used a
 * passkey or link meanwhile is waited for, and its session ends too.
 */
export async function endSignIn(tx: Transaction, personId: string): Promise<void> {
  await deletePasskeysOf(tx, personId);
  await deleteLinksOf(tx, personId);
  await deleteSubject(tx, personId);
  await endSessionsOf(tx, personId);
}

/** Removes a person for good. Only the name remains. */
export async function removePerson(tx: Transaction, personId: string, now: number): Promise<void> {
  await endSignIn(tx, personId);
  await markRemoved(tx, personId, now);
}

/**
 * Voids every way to sign in and every role, for people whose rows nobody vouches for; returns how many
 * passkeys there were. An operator invites them again.
 */
export async function voidPeople(db: Queries): Promise<number> {
  await deleteAllLinks(db);
  await suspendPeople(db);
  return deleteAllPasskeys(db);
}

/** Deletes sessions, links and answered challenges that have expired. */
export async function deleteExpiredAccess(tx: Transaction, now: number): Promise<void> {
  await deleteExpiredSessions(tx, now);
  await deleteExpiredLinks(tx, now);
  await deleteSpentChallenges(tx, now);
}
