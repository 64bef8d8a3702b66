import type { Queries } from "../../infra/db/database.js";
import { isPersonId, principalOfPerson } from "./people/person.js";
import { accessOf } from "./people/store.js";
import { atSite, hasRole, maySee, OPERATOR_ID, type Principal, type Role } from "./principal.js";
import { endedAmong, tokenById } from "./store.js";
import { isLiveToken } from "./token.js";

/**
 * Whether a principal still has the rights that they had when their request came. Read in the transaction that
 * uses them, because somebody may have taken them away since.
 */
export async function stillHolds(db: Queries, held: Principal, now: number): Promise<boolean> {
  const { id, kind, role, sites, siteRoles } = held;
  if (id === OPERATOR_ID) return true;
  if (kind === "token") {
    const token = await tokenById(db, id);
    return token !== undefined && isLiveToken(token, now);
  }
  const current = principalOfPerson(id, await accessOf(db, id), null);
  if (current === undefined) return false;
  if (sites === null) return current.sites === null && hasRole(current, role);
  return sites.every((site) => {
    const needed = siteRoles?.[site] ?? role;
    return maySee(current, site) && hasRole(atSite(current, site), needed);
  });
}

/** Which of these tokens were revoked or have expired, and which of these people can no longer act at a site. */
export async function withoutAccess(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
  now: number,
  needed: Role = "reviewer",
): Promise<string[]> {
  const ended = await endedAmong(db, ids, now);
  for (const id of ids.filter(isPersonId)) {
    const person = principalOfPerson(id, await accessOf(db, id), null);
    const mayAct =
      person !== undefined &&
      maySee(person, siteKeyHash) &&
      hasRole(atSite(person, siteKeyHash), needed);
    if (!mayAct) ended.push(id);
  }
  return ended;
}
