import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { rootOf } from "../../domain/access/descent/store.js";
import {
  countOpenLinks,
  insertLink,
  keepInvitations,
  markMailed,
} from "../../domain/access/links/store.js";
import {
  type Access,
  addressOf,
  EVERY_SITE,
  type Person,
} from "../../domain/access/people/person.js";
import {
  accessOf,
  countOperators,
  livePersonByEmail,
  lockPerson,
  markVouched,
} from "../../domain/access/people/store.js";
import { atSite, hasRole, maySee, type Principal } from "../../domain/access/principal.js";
import { stillHolds } from "../../domain/access/still-holds.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { INSTALLATION } from "../../domain/audit/log.js";
import type { Transaction } from "../../infra/db/database.js";
import { mayMail } from "../../infra/mail/mail-limit.js";
import { DAY_MS, MINUTE_MS } from "../../infra/time.js";
import { invitationWords, linkMail } from "./link-mail.js";

const INVITATION_MS = 7 * DAY_MS;
const SIGN_IN_LINK_MS = 15 * MINUTE_MS;
/** Open invitations of one person. */
const INVITATIONS_EACH_MAX = 5;
/** Links that strangers can have mailed to a person before one of them expires. */
const SIGN_IN_LINKS_EACH_MAX = 3;

const NOT_YOURS = "this person has access to other sites, so only the operator can make a link";
const NO_MAIL = "this installation has no mail server (GATEHOUSE_SMTP_URL)";

/** Where the console is, and the part of its address that browsers do not send to any server. */
const LINK_PATH = "/console#link=";

/** A link on its way: mailed, or to be handed over by the person who made it. */
export interface HandedLink {
  readonly expiresAt: number;
  /** Absent if it was mailed: only the person may have it then. */
  readonly url?: string;
  /** Why it could not be mailed. */
  readonly mailProblem?: string;
}

/** Makes an invitation: a link that signs a person in once. */
async function newInvitation(context: Context, { personId }: Person) {
  const { clock, config, consoleSessions, db } = context;
  const secret = consoleSessions.newSecret();
  const createdAt = clock.now();
  const expiresAt = createdAt + INVITATION_MS;
  const digest = tokenDigest(secret);
  await db.transaction(async (tx) => {
    const kind = "invitation";
    await insertLink(tx, { digest, personId, kind, mailed: false, createdAt, expiresAt });
    await keepInvitations(tx, personId, INVITATIONS_EACH_MAX);
  });
  return { digest, url: config.baseUrl + LINK_PATH + secret, expiresAt };
}

/** Whether somebody may do everything that a person may do. */
export function covers(by: Principal, access: readonly Access[]): boolean {
  return access.every(({ site, role }) => {
    if (site === EVERY_SITE) return by.sites === null && hasRole(by, role);
    return maySee(by, site) && hasRole(atSite(by, site), role);
  });
}

/**
 * Mails an invitation, or returns the link to be handed over if it cannot be mailed. Anyone who has the link
 * can sign in as that person. So only principals with at least the same rights get it, and from then on the
 * person counts as that principal.
 */
export async function handLink(
  context: Context,
  by: Principal,
  person: Person,
): Promise<HandedLink> {
  const { clock, db, ids, mailer } = context;
  const { digest, url, expiresAt } = await newInvitation(context, person);
  const shown = async (problem: { readonly mailProblem?: string }): Promise<HandedLink> => {
    const current = await accessOf(db, person.personId);
    if (!covers(by, current) || !(await stillHolds(db, by, clock.now()))) {
      return { mailProblem: NOT_YOURS, expiresAt };
    }
    // Who counts as the person already, such as the person, must not begin a line of their own with it.
    const [held, holder] = [await rootOf(db, person.personId), await rootOf(db, by.id)];
    if (held !== holder) await markVouched(db, person.personId, by.id);
    return { ...problem, url, expiresAt };
  };
  const to = addressOf(person);
  if (to === null) return shown({});
  if (!mailer.configured) return shown({ mailProblem: NO_MAIL });
  const invitation =
    person.joinedAt === null ? await invitationWords(context, by, person) : undefined;
  const sent = await mailer.send({
    messageId: ids.id("msg"),
    to,
    ...linkMail(person, url, INVITATION_MS, invitation),
    writtenAt: clock.now(),
  });
  if (!sent.ok) return shown({ mailProblem: sent.detail });
  await markMailed(db, digest);
  return { expiresAt };
}

export const TOO_MANY_LINKS = refuse(
  "rate_limited",
  "Too many emails with links were sent, or too many to this address. Try again in a few minutes.",
);

/**
 * Counts a link that will be mailed, unless there were too many. The link is not shown to the inviter instead.
 * Otherwise an inviter could use up the limit of an address on purpose, and sign in as that person.
 */
export async function mayMailLink(
  { clock, mailer }: Context,
  tx: Transaction,
  { from = INSTALLATION, to }: { readonly from: string | undefined; readonly to: string | null },
): Promise<boolean> {
  if (to === null || !mailer.configured) return true;
  return mayMail(tx, { kind: "link", from, to }, clock.now());
}

/** A sign-in link for a person; undefined while others are open, so that strangers cannot flood a mailbox. */
async function newSignInLink(context: Context, { personId }: Person): Promise<string | undefined> {
  const { clock, config, consoleSessions, db } = context;
  const secret = consoleSessions.newSecret();
  const createdAt = clock.now();
  const expiresAt = createdAt + SIGN_IN_LINK_MS;
  const link = { personId, kind: "sign_in", mailed: true, createdAt, expiresAt } as const;
  const isCreated = await db.transaction(async (tx) => {
    // Otherwise many requests at once would each find none open.
    if (!(await lockPerson(tx, personId))) return false;
    if ((await countOpenLinks(tx, link, createdAt)) >= SIGN_IN_LINKS_EACH_MAX) return false;
    await insertLink(tx, { ...link, digest: tokenDigest(secret) });
    return true;
  });
  return isCreated ? config.baseUrl + LINK_PATH + secret : undefined;
}

async function findAndMail(context: Context, email: string): Promise<void> {
  const { clock, db, ids, log, mailer } = context;
  const person = await livePersonByEmail(db, email.toLowerCase());
  if (person?.email == null) return;
  const url = await newSignInLink(context, person);
  if (url === undefined) return;
  const sent = await mailer.send({
    messageId: ids.id("msg"),
    writtenAt: clock.now(),
    // To the address on record: another spelling of it could be another mailbox.
    to: person.email,
    ...linkMail(person, url, SIGN_IN_LINK_MS),
  });
  if (!sent.ok) log.warn({ person: person.personId, why: sent.detail }, "people.mail_failed");
}

/**
 * Mails a sign-in link to a person. Nothing tells the caller whether the address belongs to anybody: everything
 * happens after the answer, so that its time does not tell either.
 */
export function mailSignInLink(context: Context, email: string): Result<true, "conflict"> {
  const { log, mailer } = context;
  if (!mailer.configured) {
    const why = "This installation cannot send email. Ask an owner or the operator for a new link.";
    return refuse("conflict", why);
  }
  void findAndMail(context, email).catch((error: unknown) =>
    log.error({ error }, "people.mail_failed"),
  );
  return ok(true);
}

/** The code of a link that a token gets. */
export interface ConsoleLink {
  readonly code: string;
  readonly expiresAt: number;
  /** Whether the first owner makes an account with it, instead of signing in with the token. */
  readonly setUp: boolean;
}

/** A link to the console. As long as no person is an operator, an operator's token sets up the first one. */
export async function newConsoleLink(
  { consoleSessions, db }: Context,
  principal: Principal,
): Promise<ConsoleLink> {
  const setUp = hasRole(principal, "operator") && (await countOperators(db)) === 0;
  return { ...(await consoleSessions.newCode(principal, { setUp })), setUp };
}
