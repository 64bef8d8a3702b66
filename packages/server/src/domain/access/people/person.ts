import { isAtLeast, type Principal, type Role } from "../principal.js";

export const PERSON_ID_PREFIX = "per";
export const PERSON_NAME_CHARS_MAX = 80;

/** A person who can sign in to the console. Records name only the id. */
export interface Person {
  readonly personId: string;
  readonly name: string;
  /** In lower case, and of one person only; null for somebody who gets links by hand. */
  readonly email: string | null;
  /**
   * The address of an invitation that another person has already, whom the inviter cannot see. Both are one person
   * once the mailed link of the invitation was used. Until then nothing tells the inviter about the other.
   */
  readonly sharedEmail: string | null;
  readonly createdBy: string;
  readonly createdAt: number;
  /** When the person first signed in; null while the invitation is open. */
  readonly joinedAt: number | null;
  /** When the person lost all access. The name remains, because records still name the id. */
  readonly removedAt: number | null;
  /**
   * When the person showed that the address is theirs, by a mailed link or their company's service; null
   * until then, and after somebody else held a link for them.
   */
  readonly provenAt: number | null;
  /** Who held the last link for this person. Until the address is proven, the person counts as them. */
  readonly vouchedBy: string;
  /** Who it is at the company's sign-in service; null until they use it. */
  readonly subject: string | null;
}

/** What a person may do at one site, or at all of them. */
export interface Access {
  readonly personId: string;
  /** A site key hash, or {@link EVERY_SITE}. */
  readonly site: string;
  readonly role: Role;
}

export const EVERY_SITE = "*";

/** Where mail for a person goes; null for somebody who gets links by hand. */
export const addressOf = ({ email, sharedEmail }: Pick<Person, "email" | "sharedEmail">) =>
  email ?? sharedEmail;

export const isPersonId = (id: string) => id.startsWith(`${PERSON_ID_PREFIX}_`);

/** The rights of a person; undefined without any. */
export function principalOfPerson(
  id: string,
  access: readonly Access[],
  confirmedAt: number | null,
): Principal | undefined {
  const roles = access.map(({ role }) => role);
  const [first] = roles;
  if (first === undefined) return undefined;
  const role = roles.reduce((best, one) => (isAtLeast(one, best) ? one : best), first);
  const person = { id, kind: "person", role, confirmedAt } as const;
  const everywhere = access.find(({ site }) => site === EVERY_SITE);
  if (everywhere !== undefined) return { ...person, role: everywhere.role, sites: null };
  const siteRoles = Object.fromEntries(access.map(({ site, role: at }) => [site, at]));
  return { ...person, sites: Object.keys(siteRoles), siteRoles };
}
