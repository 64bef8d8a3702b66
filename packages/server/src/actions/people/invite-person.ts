import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { deleteLinksOf } from "../../domain/access/links/store.js";
import {
  type Access,
  EVERY_SITE,
  PERSON_ID_PREFIX,
  type Person,
} from "../../domain/access/people/person.js";
import {
  accessOf,
  countAccessTo,
  countLivePeople,
  insertPerson,
  livePeopleAt,
  setAccess,
} from "../../domain/access/people/store.js";
import { hasRole, maySee, type Principal, type Role } from "../../domain/access/principal.js";
import { principalActor } from "../../domain/audit/drafts.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { commitAs, refused } from "../commit-as.js";
import { type HandedLink, handLink } from "./links.js";
import { keepLoweredRole, type PersonChange, personDrafts, resetSignIn } from "./person-record.js";

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

type Refusal = "forbidden" | "invalid_request" | "conflict";

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
    const full = await fullSite(tx, sites ?? [], known);
    if (full !== undefined) return refused(refuse("conflict", full));
    if (known === undefined) {
      if ((await countLivePeople(tx)) >= PEOPLE_MAX) {
        const why = `There are ${PEOPLE_MAX} people, which is the limit. Remove some first.`;
        return refused(refuse("conflict", why));
      }
      await insertPerson(tx, taken ? shared : fresh);
    } else if (known.provenAt === null) {
      // Nobody has shown that the address is theirs: a person who signed in with a handed link gets no more rights.
      await resetSignIn(context, tx, known.personId);
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
    return { records, answer: ok(person) };
  });
  if (!answer.ok) return answer;
  await context.revocations.write();
  const person = answer.value;
  if (person.provenAt !== null) return ok({ person, link: undefined });
  return ok({ person, link: await handLink(context, by, person) });
}
