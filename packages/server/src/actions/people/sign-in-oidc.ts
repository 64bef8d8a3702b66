import type { Context } from "../../context.js";
import { spendChallenge } from "../../domain/access/passkeys/store.js";
import { principalOfPerson } from "../../domain/access/people/person.js";
import {
  accessOf,
  livePersonByEmail,
  markProven,
  personBySubject,
  setSubject,
} from "../../domain/access/people/store.js";
import type { NewSession } from "../../domain/access/sessions/console-sessions.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import type { RecordDraft } from "../../domain/audit/drafts.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import type { OidcIdentity } from "../../infra/oidc.js";
import { endOthersAs } from "./shared-address.js";
import { joinedDrafts } from "./sign-in.js";

/** Takes an attempt to sign in, so that a second use of it finds none, even if this one fails. */
export function takeAttempt(
  { db }: Context,
  { state, expiresAt }: { readonly state: string; readonly expiresAt: number },
): Promise<boolean> {
  return db.transaction((tx) => spendChallenge(tx, tokenDigest(`oidc ${state}`), expiresAt));
}

/**
 * Signs in somebody whom the company's sign-in service has named. The first time, the verified address finds
 * the person who was invited; from then on the service's own id does, even if the address changes. Undefined
 * for somebody who was not invited.
 */
export async function signInWithOidc(
  context: Context,
  { subject, email }: OidcIdentity,
  device: string,
): Promise<NewSession | undefined> {
  const { audit, clock, consoleSessions } = context;
  const { answer } = await audit.commit<NewSession | undefined>(INSTALLATION, async (tx) => {
    const none = { records: [], answer: undefined };
    const known = await personBySubject(tx, subject);
    const invited = known ?? (email === undefined ? undefined : await livePersonByEmail(tx, email));
    // An address that belongs to somebody else at the service now is not theirs any more.
    if (invited === undefined || invited.removedAt !== null) return none;
    if (known === undefined && invited.subject !== null) return none;
    const ended: RecordDraft[] = [];
    if (known === undefined) {
      // Somebody else may have used the link of an invitation that was handed over.
      const by = principalOfPerson(invited.personId, await accessOf(tx, invited.personId), null);
      if (invited.provenAt === null && by !== undefined) {
        ended.push(...(await endOthersAs(context, tx, invited.personId, by)));
      }
      await setSubject(tx, invited.personId, subject);
      await markProven(tx, invited.personId, clock.now());
    }
    const facts = { device, confirmed: false };
    const opened = await consoleSessions.open(tx, invited.personId, facts);
    if (opened === undefined) return none;
    const joined = await joinedDrafts(context, tx, opened);
    return { records: [...ended, ...joined], answer: opened };
  });
  return answer;
}
