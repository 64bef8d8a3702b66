import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { strandedAmong } from "../../domain/access/passkeys/store.js";
import { type Access, EVERY_SITE, type Person } from "../../domain/access/people/person.js";
import {
  accessOf,
  accessTo,
  listPeople as selectPeople,
} from "../../domain/access/people/store.js";
import { type Page, type PageRequest, readPage } from "../page.js";

/** A person and what they may do, at one site or at all their sites. */
export interface PersonWithAccess {
  readonly person: Person;
  readonly access: readonly Access[];
  /** Whether all passkeys of the person belong to a host that the service had before. */
  readonly isStranded: boolean;
}

const cursorOf = ({ person }: Pick<PersonWithAccess, "person">) => {
  return { createdAt: person.createdAt, id: person.personId };
};

/** A page of the people of one site, or of all sites (null), in order of creation. */
export function listPeople(
  { db, signInTools }: Context,
  siteKeyHash: string | null,
  request: PageRequest,
): Promise<Result<Page<PersonWithAccess>, "invalid_request">> {
  const read = async (page: Parameters<typeof selectPeople>[2]) => {
    const people = await selectPeople(db, siteKeyHash, page);
    const ids = people.map(({ personId }) => personId);
    const stranded = await strandedAmong(db, ids, signInTools.party.id);
    const isStranded = ({ personId }: Person) => stranded.has(personId);
    if (siteKeyHash === null) {
      const all = people.map(async (person) => ({
        person,
        access: await accessOf(db, person.personId),
        isStranded: isStranded(person),
      }));
      return Promise.all(all);
    }
    const access = await accessTo(db, siteKeyHash, ids);
    return people.map((person) => ({
      person,
      access: access.filter(({ personId }) => personId === person.personId),
      isStranded: isStranded(person),
    }));
  };
  return readPage(request, read, cursorOf);
}

/** The role at a site: a role at every site counts there too. */
export function roleAt(access: readonly Access[], siteKeyHash: string): string | undefined {
  const everywhere = access.find(({ site }) => site === EVERY_SITE);
  return (everywhere ?? access.find(({ site }) => site === siteKeyHash))?.role;
}
