import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { PasskeyPurpose } from "../../domain/access/passkeys/challenges.js";
import { type Passkey, worksAt } from "../../domain/access/passkeys/passkey.js";
import {
  deletePasskey,
  insertPasskey,
  markUsed,
  passkeyById,
  passkeysOf,
  spendChallenge,
} from "../../domain/access/passkeys/store.js";
import type { SignedInUser } from "../../domain/access/sessions/console-sessions.js";
import { confirmSession, liveSession } from "../../domain/access/sessions/store.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import { insertRevocations } from "../../domain/revocations/store.js";
import type { Queries } from "../../infra/db/database.js";
import { MINUTE_MS } from "../../infra/time.js";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "../../infra/webauthn.js";
import { ownChangeDrafts } from "./person-record.js";

/** How long a person who has used a passkey may do what needs one. */
const CONFIRMED_MS = 10 * MINUTE_MS;
/** A first passkey is for somebody who has just signed in, not for a browser that was left open. */
const FIRST_PASSKEY_MS = 15 * MINUTE_MS;
/** Passkeys of one person: some devices, and one that lies in a drawer. */
const PASSKEYS_EACH_MAX = 10;

interface PasskeyProof {
  readonly used: { readonly counter: number; readonly at: number; readonly host: string };
  readonly challengeDigest: string;
  readonly expiresAt: number;
}

const credentialOf = ({ credentialId: id, publicKey, counter, transports }: Passkey) => {
  return { id, publicKey, counter, transports };
};

/** The passkeys of a person that browsers offer at the service's host. Others are of a host that it had before. */
async function usablePasskeys({ signInTools }: Context, db: Queries, personId: string) {
  const all = await passkeysOf(db, personId);
  return all.filter((passkey) => worksAt(passkey, signInTools.party.id));
}

/** Whether a person has just proven with a passkey who they are. Tokens are for programs, and need none. */
export function isConfirmed({ clock }: Context, { principal }: Pick<SignedInUser, "principal">) {
  const { kind, confirmedAt } = principal;
  if (kind === "token") return true;
  return clock.now() - (confirmedAt ?? Number.NEGATIVE_INFINITY) < CONFIRMED_MS;
}

/** Verifies what a passkey answered; undefined if it does not verify. */
export async function verifyPasskey(
  { clock, signInTools }: Context,
  passkey: Passkey,
  purpose: PasskeyPurpose,
  sessionId: string,
  response: AuthenticationResponseJSON,
): Promise<PasskeyProof | undefined> {
  const at = clock.now();
  let spent: Omit<PasskeyProof, "used"> | undefined;
  const take = async (challenge: string) => {
    const expiresAt = signInTools.challenges.expiryOf(purpose, sessionId, challenge, at);
    if (expiresAt === undefined) return false;
    spent = { challengeDigest: tokenDigest(challenge), expiresAt };
    return true;
  };
  const counter = await signInTools.party.verifyAuthentication(
    response,
    credentialOf(passkey),
    take,
  );
  if (counter === undefined || spent === undefined) return undefined;
  return { ...spent, used: { counter, at, host: signInTools.party.id } };
}

/** What a browser needs to ask for a passkey. Without a session it may be anybody's. */
export async function passkeyOptions(
  context: Context,
  purpose: PasskeyPurpose,
  user: SignedInUser | undefined,
) {
  const { clock, db, signInTools } = context;
  const challenge = signInTools.challenges.issue(purpose, user?.sessionId ?? "", clock.now());
  if (user === undefined) return signInTools.party.authenticationOptions(challenge, []);
  const { id } = user.principal;
  const known = (await usablePasskeys(context, db, id)).map(credentialOf);
  return purpose === "register"
    ? signInTools.party.registrationOptions(challenge, { id, name: user.name }, known)
    : signInTools.party.authenticationOptions(challenge, known);
}

/** The only ways out: a link that was mailed must not become a passkey while the person has another. */
const lostPasskey = (personId: string) =>
  "You have a passkey. Sign in with it before you add another. If you lost it, ask another owner or operator " +
  `to choose Settings → People → Lost device. If there is nobody else, run "npx gatehouse person link ${personId} --reset" on the server.`;

type Added = Result<Passkey, "invalid_request" | "unauthorized" | "forbidden" | "conflict">;

/**
 * Adds a passkey. Somebody who has one must have used it just now: a session that was left open must not
 * become a separate key.
 */
export async function addPasskey(
  context: Context,
  user: SignedInUser,
  sessionSecret: string,
  { name, response }: { readonly name: string; readonly response: RegistrationResponseJSON },
): Promise<Added> {
  const { audit, clock, signInTools } = context;
  const personId = user.principal.id;
  const now = clock.now();
  let spent: { digest: string; expiresAt: number } | undefined;
  const take = async (challenge: string) => {
    const expiresAt = signInTools.challenges.expiryOf("register", user.sessionId, challenge, now);
    if (expiresAt !== undefined) spent = { digest: tokenDigest(challenge), expiresAt };
    return expiresAt !== undefined;
  };
  const registered = await signInTools.party.verifyRegistration(response, take);
  const invalid = refuse("invalid_request", "The passkey could not be verified. Try again.");
  if (registered === undefined || spent === undefined) return invalid;
  const { digest, expiresAt } = spent;
  const { id: credentialId, ...credential } = registered;
  const lastUsedAt = null;
  const rpId = signInTools.party.id;
  const passkey = { credentialId, personId, rpId, ...credential, name, createdAt: now, lastUsedAt };
  const { answer } = await audit.commit<Added>(INSTALLATION, async (tx) => {
    const refused = (answer: Added) => ({ records: [], answer });
    // Somebody may have reset the person since the request came. A thief's passkey would outlast that.
    if ((await liveSession(tx, tokenDigest(sessionSecret), now)) === undefined) {
      return refused(refuse("unauthorized", "Your session has ended. Sign in again."));
    }
    const known = await usablePasskeys(context, tx, personId);
    if (known.length > 0 && !isConfirmed(context, user)) {
      return refused(refuse("forbidden", lostPasskey(personId)));
    }
    if (known.length === 0 && now - user.openedAt > FIRST_PASSKEY_MS) {
      return refused(refuse("forbidden", "Sign in again with a new link, then add a passkey."));
    }
    if (known.length >= PASSKEYS_EACH_MAX) {
      const most = `You have ${PASSKEYS_EACH_MAX} passkeys, which is the limit. Remove one first.`;
      return refused(refuse("conflict", most));
    }
    if (!(await spendChallenge(tx, digest, expiresAt))) return refused(invalid);
    if ((await passkeyById(tx, credentialId)) !== undefined) return refused(invalid);
    await insertPasskey(tx, passkey);
    await confirmSession(tx, tokenDigest(sessionSecret), now);
    return {
      records: await ownChangeDrafts(context, tx, user.principal, "passkey_added"),
      answer: ok(passkey),
    };
  });
  return answer;
}

export async function removePasskey(
  context: Context,
  user: SignedInUser,
  credentialId: string,
): Promise<Result<true, "not_found">> {
  const none = refuse("not_found", "You have no such passkey.");
  const { answer } = await context.audit.commit<Result<true, "not_found">>(
    INSTALLATION,
    async (tx) => {
      if (!(await deletePasskey(tx, user.principal.id, credentialId))) {
        return { records: [], answer: none };
      }
      const removed = {
        kind: "passkey",
        id: credentialId,
        revokedAt: context.clock.now(),
      } as const;
      await insertRevocations(tx, [removed]);
      return {
        records: await ownChangeDrafts(context, tx, user.principal, "passkey_removed"),
        answer: ok(true),
      };
    },
  );
  await context.revocations.write();
  return answer;
}

/** Confirms with a passkey that the person is still there; undefined if the answer does not verify. */
export async function confirmWithPasskey(
  context: Context,
  { principal, sessionId }: SignedInUser,
  sessionSecret: string,
  response: AuthenticationResponseJSON,
): Promise<true | undefined> {
  const { clock, db } = context;
  const passkey = await passkeyById(db, response.id);
  if (passkey?.personId !== principal.id) return undefined;
  const proof = await verifyPasskey(context, passkey, "confirm", sessionId, response);
  if (proof === undefined) return undefined;
  return db.transaction(async (tx) => {
    const first = await spendChallenge(tx, proof.challengeDigest, proof.expiresAt);
    if (!first || !(await markUsed(tx, passkey, proof.used))) return undefined;
    await confirmSession(tx, tokenDigest(sessionSecret), clock.now());
    return true;
  });
}
