import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import {
  readPicture,
  SITE_PICTURE_BYTES_MAX,
  UNUSED_PICTURE_KEPT_MS,
} from "../../domain/products/pictures/picture.js";
import {
  deleteUnused,
  pictureBytes,
  sitesWithPictures,
  storePicture,
} from "../../domain/products/pictures/store.js";
import { lockSite, pictureOf } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { MINUTE_MS } from "../../infra/time.js";

const MIB = 1024 * 1024;
const FULL = refuse(
  "conflict",
  `The pictures of a site can take up to ${SITE_PICTURE_BYTES_MAX / MIB} MB. Remove products or use smaller pictures.`,
);
const NO_SITE = refuse("not_found", "There is no such site.");

async function deleteUnusedBefore(tx: Transaction, siteKeyHash: string, before: number) {
  await deleteUnused(tx, siteKeyHash, { before, shop: await pictureOf(tx, siteKeyHash) });
}

/**
 * Stores an uploaded picture if the site has room for it, and returns its digest. Pictures that are not in use make
 * room, unless one is being saved now.
 */
export async function storeUpload(
  { db, clock }: Context,
  siteKeyHash: string,
  file: Uint8Array,
): Promise<Result<string, "invalid_request" | "conflict" | "not_found">> {
  const read = readPicture(file);
  if (!read.ok) return refuse("invalid_request", read.detail);
  const picture = read.value;
  return db.transaction(async (tx) => {
    if (!(await lockSite(tx, siteKeyHash))) return NO_SITE;
    const now = clock.now();
    const fits = async () =>
      (await pictureBytes(tx, siteKeyHash)) + picture.bytes.length <= SITE_PICTURE_BYTES_MAX;
    if (!(await fits())) {
      await deleteUnusedBefore(tx, siteKeyHash, now - MINUTE_MS);
      if (!(await fits())) return FULL;
    }
    await storePicture(tx, siteKeyHash, picture, now);
    return ok(picture.digest);
  });
}

/** Deletes the pictures of all sites that are not in use. */
export async function deleteUnusedPictures(
  { db, clock }: Context,
  stopping: () => boolean,
): Promise<void> {
  for (const siteKeyHash of await sitesWithPictures(db)) {
    if (stopping()) return;
    const before = clock.now() - UNUSED_PICTURE_KEPT_MS;
    await db.transaction((tx) => deleteUnusedBefore(tx, siteKeyHash, before));
  }
}
