import type { Queries } from "../../infra/db/database.js";
import { isPersonId, principalOfPerson } from "./people/person.js";
import { accessOf } from "./people/store.js";
import { atSite, hasRole, maySee } from "./principal.js";
import { endedAmong } from "./store.js";

/** Which of these tokens were revoked or have expired, and which of these people can no longer decide at a site. */
export async function withoutAccess(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  const ended = await endedAmong(db, ids, now);
  for (const id of ids.filter(isPersonId)) {
    const person = principalOfPerson(id, await accessOf(db, id), null);
    const decides =
      person !== undefined &&
      maySee(person, siteKeyHash) &&
      hasRole(atSite(person, siteKeyHash), "reviewer");
    if (!decides) ended.push(id);
  }
  return ended;
}
