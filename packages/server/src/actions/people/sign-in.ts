import type { Context } from "../../context.js";
import { liveLink, takeLink } from "../../domain/access/links/store.js";
import { markUsed, passkeyById, spendChallenge } from "../../domain/access/passkeys/store.js";
import { accessOf, markJoined, personById } from "../../domain/access/people/store.js";
import type { NewSession, SignInFacts } from "../../domain/access/sessions/console-sessions.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { personActor, type RecordDraft } from "../../domain/audit/drafts.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import type { Transaction } from "../../infra/db/database.js";
import type { AuthenticationResponseJSON } from "../../infra/webauthn.js";
import { verifyPasskey } from "./passkeys.js";
import { type PersonChange, personDrafts } from "./person-record.js";
import { endInvited, holderOfAddress, proveAddress } from "./shared-address.js";

/**
 * Signs in with a link. The first time, the person has joined. Opening the link's page does not use it:
 * mail scanners open links too.
 */
export async function signInWithLink(
  context: Context,
  secret: string,
  device: string,
): Promise<NewSession | undefined> {
  const { audit, clock, consoleSessions, db } = context;
  const digest = tokenDigest(secret);
  const link = await liveLink(db, digest, clock.now());
  if (link === undefined) return undefined;
  const { personId } = link;
  const { answer } = await audit.commit<NewSession | undefined>(INSTALLATION, async (tx) => {
    const none = { records: [], answer: undefined };
    if (!(await takeLink(tx, digest))) return none;
    const invited = link.mailed ? await personById(tx, personId) : undefined;
    const id = invited === undefined ? personId : await holderOfAddress(tx, invited);
    const proven = link.mailed
      ? await proveAddress(context, tx, id, { merged: id !== personId })
      : [];
    const opened = await consoleSessions.open(tx, id, { device, confirmed: false });
    if (opened === undefined) return none;
    const joined = [...proven, ...(await joinedDrafts(context, tx, opened))];
    if (id === personId) return { records: joined, answer: opened };
    const ended = await endInvited(context, tx, personId, opened.principal);
    return { records: [...joined, ...ended], answer: opened };
  });
  return answer;
}

/** The records of somebody who signs in for the first time; none for others. */
export async function joinedDrafts(
  context: Context,
  tx: Transaction,
  { principal }: NewSession,
): Promise<RecordDraft[]> {
  const { id, role } = principal;
  if (!(await markJoined(tx, id, context.clock.now()))) return [];
  const changes = (await accessOf(tx, id)).map((access): PersonChange => {
    return { type: "person.joined", ...access };
  });
  return personDrafts(context, tx, personActor(id, role), changes);
}

/** Signs in with a passkey. Each answer of a passkey counts once. */
export async function signInWithPasskey(
  context: Context,
  response: AuthenticationResponseJSON,
  device: string,
): Promise<NewSession | undefined> {
  const { consoleSessions, db } = context;
  const passkey = await passkeyById(db, response.id);
  const proof = passkey && (await verifyPasskey(context, passkey, "sign_in", "", response));
  if (passkey === undefined || proof === undefined) return undefined;
  const facts: SignInFacts = { device, confirmed: true };
  return db.transaction(async (tx) => {
    const first = await spendChallenge(tx, proof.challengeDigest, proof.expiresAt);
    if (!first || !(await markUsed(tx, passkey, proof.used))) return undefined;
    return consoleSessions.open(tx, passkey.personId, facts);
  });
}
