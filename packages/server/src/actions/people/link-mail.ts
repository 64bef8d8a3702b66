import type { Context } from "../../context.js";
import { EVERY_SITE, isPersonId, type Person } from "../../domain/access/people/person.js";
import { accessOf, personById } from "../../domain/access/people/store.js";
import type { Principal, Role } from "../../domain/access/principal.js";
import { siteByHash } from "../../domain/sites/store.js";
import { unlinked } from "../../infra/mail/text.js";
import { DAY_MS, MINUTE_MS } from "../../infra/time.js";

/** Shops that an invitation names. */
const SHOPS_NAMED_MAX = 5;

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  operator: "an operator",
  owner: "an owner",
  reviewer: "a reviewer",
  auditor: "an auditor",
};

/** What a person is invited to as one role. */
interface Invited {
  readonly role: Role;
  /** Names of shops; null for the whole installation. */
  readonly shops: readonly string[] | null;
  /** Shops that are not named. */
  readonly more: number;
}

export interface InvitationWords {
  /** The name of a person; null for a token. */
  readonly inviter: string | null;
  readonly to: readonly Invited[];
}

/** What an invitation says about the rights that a person has now. */
export async function invitationWords(
  { db }: Context,
  by: Principal,
  { personId }: Person,
): Promise<InvitationWords> {
  const access = await accessOf(db, personId);
  const to: Invited[] = [];
  for (const role of new Set(access.map((one) => one.role))) {
    const sites = access.filter((one) => one.role === role).map(({ site }) => site);
    if (sites.includes(EVERY_SITE)) {
      to.push({ role, shops: null, more: 0 });
      continue;
    }
    const named = sites.slice(0, SHOPS_NAMED_MAX);
    const shops: string[] = [];
    for (const site of named) shops.push((await siteByHash(db, site))?.name ?? site);
    to.push({ role, shops, more: sites.length - named.length });
  }
  const inviter = isPersonId(by.id) ? await personById(db, by.id) : undefined;
  return { inviter: inviter?.name ?? null, to };
}

/** “A, B and C”. The texts come from owners. */
function listed({ shops, more }: Invited, host: string): string {
  if (shops === null) return `Gatehouse at ${host}`;
  const names = [...shops.map(unlinked), ...(more === 0 ? [] : [`${more} more`])];
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function invitedLine({ inviter, to }: InvitationWords, host: string): string {
  const who = inviter === null ? "You have been invited" : `${unlinked(inviter)} invited you`;
  // Somebody can have removed the rights since.
  if (to.length === 0) return `${who} to Gatehouse at ${host}. You have no access to a shop yet.`;
  const what = to.map((one) => `to ${listed(one, host)} as ${ROLE_WORDS[one.role]}`);
  return `${who} ${what.join(", and ")}.`;
}

/** Has somebody sign in who has joined, or invites a person. */
export function linkMail(
  { name }: Pick<Person, "name">,
  url: string,
  lastsMs: number,
  invitation?: InvitationWords,
) {
  const { host } = new URL(url);
  const lasts = lastsMs >= DAY_MS ? `${lastsMs / DAY_MS} days` : `${lastsMs / MINUTE_MS} minutes`;
  const text = [
    `Hello ${unlinked(name)},`,
    "",
    ...(invitation === undefined ? [] : [invitedLine(invitation, host), ""]),
    `Use this link to sign in to the Gatehouse console at ${host}:`,
    "",
    url,
    "",
    `The link works once, within ${lasts}.`,
    "",
    "If you did not expect this email, ignore it.",
    "",
  ].join("\n");
  const subject = invitation === undefined ? `Sign in to ${host}` : `Your invitation to ${host}`;
  return { subject, text };
}
