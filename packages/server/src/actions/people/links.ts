import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { insertLink } from "../../domain/access/links/store.js";
import { type Access, EVERY_SITE, type Person } from "../../domain/access/people/person.js";
import { accessOf, livePersonByEmail } from "../../domain/access/people/store.js";
import { atSite, hasRole, maySee, type Principal } from "../../domain/access/principal.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { plainLine } from "../../infra/mail/text.js";
import { DAY_MS, MINUTE_MS } from "../../infra/time.js";

export const INVITATION_MS = 7 * DAY_MS;
const SIGN_IN_LINK_MS = 15 * MINUTE_MS;
/** Open links of one person. */
const LINKS_EACH_MAX = 5;

const NO_MAIL = "this installation has no mail server (GATEHOUSE_SMTP_URL)";

/** Where the console is, and the part of its address that browsers do not send to any server. */
const LINK_PATH = "/console#link=";

/** A link on its way: mailed, or to be handed over by whoever made it. */
export interface HandedLink {
  readonly expiresAt: number;
  /** Absent if it was mailed: only the person may have it then. */
  readonly url?: string;
  /** Why it could not be mailed. */
  readonly mailProblem?: string;
}

/** Makes a link that signs a person in once. */
async function newLink(context: Context, { personId }: Person, lastsMs: number) {
  const { clock, config, consoleSessions, db } = context;
  const secret = consoleSessions.newSecret();
  const expiresAt = clock.now() + lastsMs;
  const link = { digest: tokenDigest(secret), personId, expiresAt };
  await db.transaction((tx) => insertLink(tx, link, LINKS_EACH_MAX));
  return { url: config.baseUrl + LINK_PATH + secret, expiresAt };
}

function mailOf(context: Context, person: Person, url: string, lastsMs: number) {
  const host = new URL(context.config.baseUrl).host;
  const invited = person.joinedAt === null;
  const lasts = lastsMs >= DAY_MS ? `${lastsMs / DAY_MS} days` : `${lastsMs / MINUTE_MS} minutes`;
  const text = [
    `Hello ${plainLine(person.name)},`,
    "",
    invited
      ? `you have been invited to the Gatehouse console at ${host}. Open this link to sign in:`
      : `use this link to sign in to the Gatehouse console at ${host}:`,
    "",
    url,
    "",
    `The link works once, within ${lasts}. If you did not expect this mail, ignore it: nothing changes.`,
    "",
  ].join("\n");
  const subject = invited ? `Your invitation to ${host}` : `Sign in to ${host}`;
  return { subject, text };
}

/** Whether somebody may do everything that a person may do. */
export function covers(by: Principal, access: readonly Access[]): boolean {
  return access.every(({ site, role }) => {
    if (site === EVERY_SITE) return by.sites === null && hasRole(by, role);
    return maySee(by, site) && hasRole(atSite(by, site), role);
  });
}

/**
 * Mails a link, or returns it to be handed over if it cannot be mailed. Whoever has the link can be that
 * person, so it is only for those who may do at least as much.
 */
export async function handLink(
  context: Context,
  by: Principal,
  person: Person,
  lastsMs: number,
): Promise<HandedLink> {
  const { clock, db, ids, mailer } = context;
  const { url, expiresAt } = await newLink(context, person, lastsMs);
  const shown = covers(by, await accessOf(db, person.personId))
    ? { url }
    : {
        mailProblem: "this person has access to other sites, so only the operator can make a link",
      };
  if (person.email === null) return { ...shown, expiresAt };
  if (!mailer.configured) return { mailProblem: NO_MAIL, ...shown, expiresAt };
  const sent = await mailer.send({
    messageId: ids.id("msg"),
    to: person.email,
    ...mailOf(context, person, url, lastsMs),
    writtenAt: clock.now(),
  });
  return sent.ok ? { expiresAt } : { mailProblem: sent.detail, ...shown, expiresAt };
}

/**
 * Mails a sign-in link to a person. Nothing tells the caller whether the address belongs to anybody; the
 * mail is sent after the answer, so that its time does not tell either.
 */
export async function mailSignInLink(
  context: Context,
  email: string,
): Promise<Result<true, "conflict">> {
  const { clock, db, ids, log, mailer } = context;
  if (!mailer.configured) {
    const why = "This installation cannot send mail. Ask an owner or the operator for a new link.";
    return refuse("conflict", why);
  }
  const person = await livePersonByEmail(db, email.toLowerCase());
  if (person?.email == null) return ok(true);
  const { url } = await newLink(context, person, SIGN_IN_LINK_MS);
  // To the address on record: another spelling of it could be another mailbox.
  const mail = { ...mailOf(context, person, url, SIGN_IN_LINK_MS), to: person.email };
  const message = { messageId: ids.id("msg"), writtenAt: clock.now(), ...mail };
  void mailer
    .send(message)
    .then((sent) => {
      if (!sent.ok) log.warn({ person: person.personId, why: sent.detail }, "people.mail_failed");
    })
    .catch((error: unknown) => log.error({ error }, "people.mail_failed"));
  return ok(true);
}
