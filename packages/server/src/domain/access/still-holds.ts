import type { Queries } from "../../infra/db/database.js";
import { principalOfPerson } from "./people/person.js";
import { accessOf } from "./people/store.js";
import { atSite, hasRole, maySee, OPERATOR_ID, type Principal } from "./principal.js";
import { tokenById } from "./store.js";
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
