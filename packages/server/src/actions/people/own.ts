import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Passkey } from "../../domain/access/passkeys/passkey.js";
import { passkeysOf } from "../../domain/access/passkeys/store.js";
import { addressOf } from "../../domain/access/people/person.js";
import { personById, setPersonName } from "../../domain/access/people/store.js";
import type { SignedInUser } from "../../domain/access/sessions/console-sessions.js";
import { endSessionById, type Session, sessionsOf } from "../../domain/access/sessions/store.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import { ownChangeDrafts } from "./person-record.js";

export function ownPasskeys({ db }: Context, { principal }: SignedInUser): Promise<Passkey[]> {
  return passkeysOf(db, principal.id);
}

export function ownSessions({ clock, db }: Context, user: SignedInUser): Promise<Session[]> {
  return sessionsOf(db, user.principal.id, clock.now());
}

/** The address that somebody is mailed at; null if there is none. */
export async function ownAddress({ db }: Context, { principal }: SignedInUser) {
  const person = await personById(db, principal.id);
  return person === undefined ? null : addressOf(person);
}

/** Changes the name that others see. The records show that it changed, and contain neither name. */
export async function rename(context: Context, user: SignedInUser, name: string): Promise<void> {
  const { principal } = user;
  await context.audit.commit(INSTALLATION, async (tx) => {
    await setPersonName(tx, principal.id, name);
    return { records: await ownChangeDrafts(context, tx, principal, "renamed"), answer: null };
  });
}

/** Ends one of somebody's own sessions, at its next request on every node. */
export async function endOwnSession(
  { db }: Context,
  { principal }: SignedInUser,
  sessionId: string,
): Promise<Result<true, "not_found">> {
  const ended = await endSessionById(db, principal.id, sessionId);
  return ended ? ok(true) : refuse("not_found", "You have no such session.");
}
