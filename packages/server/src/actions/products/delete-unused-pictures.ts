import type { Context } from "../../context.js";
import { UNUSED_PICTURE_KEPT_MS } from "../../domain/products/pictures/picture.js";
import { deleteUnused, sitesWithPictures } from "../../domain/products/pictures/store.js";

/** Deletes the pictures of all sites that no product uses. */
export async function deleteUnusedPictures(
  { db, clock }: Context,
  stopping: () => boolean,
): Promise<void> {
  for (const siteKeyHash of await sitesWithPictures(db)) {
    if (stopping()) return;
    const before = clock.now() - UNUSED_PICTURE_KEPT_MS;
    await db.transaction((tx) => deleteUnused(tx, siteKeyHash, before));
  }
}
