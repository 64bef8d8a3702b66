import type { Queries } from "../../infra/db/database.js";
import { isPersonId, principalOfPerson } from "./people/person.js";
import { accessOf } from "./people/store.js";
import { atSite, hasRole, maySee } from "./principal.js";
import { revokedAmong } from "./store.js";

/** Which of these tokens were revoked, and which of these people can no longer decide at a site. */
export async function withoutAccess(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<string[]> {
  const ended = await revokedAmong(db, ids);
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
