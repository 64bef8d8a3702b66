import type { Context } from "../context.js";
import { deleteSite as markDeleted } from "../owners/sites/store.js";

/** Deletes a site. Its row stays, so that its key is never given out again. */
export function deleteSite({ db, clock }: Context, siteKeyHash: string): Promise<boolean> {
  return db.transaction((tx) => markDeleted(tx, siteKeyHash, clock.now()));
}
