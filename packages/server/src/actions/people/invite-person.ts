import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { rootOf } from "../../domain/access/descent/store.js";
import { deleteLinksOf } from "../../domain/access/links/store.js";
import {
  type Access,
  EVERY_SITE,
  PERSON_ID_PREFIX,
  type Person,
  principalOfPerson,
} from "../../domain/access/people/person.js";
import {
  accessOf,
  countAccessTo,
  countLivePeople,
  insertPerson,
  livePeopleAt,
  setAccess,
} from "../../domain/access/people/store.js";
import {
  atSite,
  hasRole,
  maySee,
  type Principal,
  type Role,
} from "../../domain/access/principal.js";
import { principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { commitAs, refused } from "../commit-as.js";
import { covers, type HandedLink, handLink, mayMailLink, TOO_MANY_LINKS } from "./links.js";
import { keepLoweredRole, resetSignIn, revokeMade } from "./lost-rights.js";
import { type PersonChange, personDrafts } from "./person-record.js";
import { endOthersAs } from "./shared-address.js";

/** People of one installation, so that a faulty program cannot make any number of them. */
const PEOPLE_MAX = 10_000;
/** People of one site, so that its owner cannot use up the room of all others. */
const PEOPLE_OF_SITE_MAX = 100;

export interface Invitation {
  readonly name: string;
  /** Undefined for somebody who gets the link by hand. */
  readonly email: string | undefined;
  readonly role: Role;
  /** Site key hashes; null for every site. */
  readonly sites: readonly string[] | null;
}

export interface Invited {
  readonly person: Person;
  /** How the person gets in; undefined for somebody whose address is proven. */
  readonly link: HandedLink | undefined;
}

const ABOVE = refuse(
  "forbidden",
  "This person has a role above your own, or access to sites that are not yours. Ask an operator.",
);

type Refusal = "forbidden" | "invalid_request" | "conflict" | "rate_limited";

/** Why somebody cannot give these rights. Nobody gives more than they have. */
async function obstacle(
  tx: Transaction,
  by: Principal,
  { role, sites }: Invitation,
): Promise<Result<true, Refusal>> {
  if (!hasRole(by, role)) return refuse("forbidden", "You cannot give a role above your own.");
  if (sites === null) {
    if (role !== "operator" && role !== "auditor") {
      return refuse("invalid_request", "sites: must list the sites that this person is for.");
    }
    return by.sites === null
      ? ok(true)
      : refuse("forbidden", "You cannot give access to all sites.");
  }
  if (role === "operator") {
    return refuse("invalid_request", "sites: not allowed for an operator, who sees all sites.");
  }
  for (const site of sites) {
    if (!maySee(by, site) || !(await lockSite(tx, site))) {
      return refuse("invalid_request", "sites: one of the sites does not exist.");
    }
  }
  return ok(true);
}

/** Why a site has no room for a person; undefined if it has, or if they have a role there already. */
async function fullSite(
  tx: Transaction,
  sites: readonly string[],
  known: Person | undefined,
): Promise<string | undefined> {
  const access = known === undefined ? [] : await accessOf(tx, known.personId);
  const added = sites.filter((site) => !access.some((one) => one.site === site));
  for (const site of added) {
    if ((await countAccessTo(tx, site)) < PEOPLE_OF_SITE_MAX) continue;
    return `The site has ${PEOPLE_OF_SITE_MAX} people, which is the limit. Remove some first.`;
  }
  return undefined;
}

/** Whether somebody who invites sees a person in a list of theirs. */
async function sees(tx: Transaction, by: Principal, { personId }: Person): Promise<boolean> {
  if (by.sites === null) return true;
  return (await accessOf(tx, personId)).some(({ site }) => by.sites?.includes(site));
}

/** Everybody who was invited with an address, and the one of them whom the inviter sees. */
async function peopleAt(tx: Transaction, by: Principal, address: string | null) {
  const all = address === null ? [] : await livePeopleAt(tx, address);
  for (const person of all) if (await sees(tx, by, person)) return { known: person, taken: true };
  return { known: undefined, taken: all.length > 0 };
}

/**
 * Signs somebody out whose address is not proven, because a person who signed in with a handed link gets no more
 * rights. If somebody else has held that link, their tokens end too. Returns the records.
 */
async function resetUnproven(
  context: Context,
  tx: Transaction,
  by: Principal,
  personId: string,
): Promise<Result<RecordDraft[], "forbidden">> {
  // It ends the person's access to their other sites too.
  if (!covers(by, await accessOf(tx, personId))) return ABOVE;
  if ((await rootOf(tx, personId)) !== (await rootOf(tx, by.id))) {
    return ok(await endOthersAs(context, tx, personId, by));
  }
  await resetSignIn(context, tx, personId);
  return ok([]);
}

/** Revokes the tokens of a person that have more rights than the person has after an invitation. */
async function revokeAbove(
  context: Context,
  tx: Transaction,
  by: Principal,
  { personId, site }: Access,
): Promise<RecordDraft[]> {
  const now = principalOfPerson(personId, await accessOf(tx, personId), null);
  if (now === undefined) return [];
  const { role } = site === EVERY_SITE ? now : atSite(now, site);
  return revokeMade(context, tx, by, { personId, site, role });
}

/**
 * Invites a person, by mail if there is an address and a mail server, otherwise by a link to hand over. An
 * address of somebody whom the inviter sees gives that person the new role. An address of somebody else is answered as if nobody had it,
 * so that it tells nothing about them.
 */
export async function invitePerson(
  context: Context,
  by: Principal,
  invitation: Invitation,
): Promise<Result<Invited, Refusal>> {
  const { clock, ids } = context;
  const email = invitation.email?.toLowerCase() ?? null;
  const { name, role, sites } = invitation;
  const fresh: Person = {
    personId: ids.id(PERSON_ID_PREFIX),
    name,
    email,
    sharedEmail: null,
    createdBy: by.id,
    createdAt: clock.now(),
    joinedAt: null,
    removedAt: null,
    provenAt: null,
    vouchedBy: by.id,
    subject: null,
  };
  const shared: Person = { ...fresh, email: null, sharedEmail: email };
  const answer = await commitAs<Person, Refusal>(context, by, async (tx) => {
    const allowed = await obstacle(tx, by, invitation);
    if (!allowed.ok) return refused(allowed);
    const { known, taken } = await peopleAt(tx, by, email);
    const ended: RecordDraft[] = [];
    const full = await fullSite(tx, sites ?? [], known);
    if (full !== undefined) return refused(refuse("conflict", full));
    const isMailed = known === undefined || known.provenAt === null;
    if (isMailed && !(await mayMailLink(context, tx, { from: sites?.[0], to: email }))) {
      return refused(TOO_MANY_LINKS);
    }
    if (known === undefined) {
      if ((await countLivePeople(tx)) >= PEOPLE_MAX) {
        const why = `There are ${PEOPLE_MAX} people, which is the limit. Remove some first.`;
        return refused(refuse("conflict", why));
      }
      await insertPerson(tx, taken ? shared : fresh);
    } else if (known.provenAt === null) {
      const reset = await resetUnproven(context, tx, by, known.personId);
      if (!reset.ok) return refused(reset);
      ended.push(...reset.value);
    } else await deleteLinksOf(tx, known.personId);
    const person = known ?? (taken ? shared : fresh);
    const type = known === undefined ? "person.invited" : "person.changed";
    const given = (sites ?? [EVERY_SITE]).map((site): Access => {
      return { personId: person.personId, site, role };
    });
    for (const one of given) {
      await keepLoweredRole(context, tx, one);
      await setAccess(tx, one);
    }
    const changes = given.map((one): PersonChange => ({ ...one, type }));
    const records = await personDrafts(context, tx, principalActor(by), changes);
    for (const one of known === undefined ? [] : given) {
      ended.push(...(await revokeAbove(context, tx, by, one)));
    }
    return { records: [...records, ...ended], answer: ok(person) };
  });
  if (!answer.ok) return answer;
  await context.revocations.write();
  const person = answer.value;
  if (person.provenAt !== null) return ok({ person, link: undefined });
  return ok({ person, link: await handLink(context, by, person) });
}
