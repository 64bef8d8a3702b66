import type { Context } from "../../context.js";
import {
  pictureByDigest,
  picturePart,
  type StoredPicture,
} from "../../domain/products/pictures/store.js";

/** Bytes read at a time. A slow reader keeps no more of a picture in memory. */
const PART_BYTES = 256 * 1024;

/** A picture, and its bytes as they are read. */
export interface ReadablePicture extends StoredPicture {
  parts(): AsyncGenerator<Uint8Array>;
}

/** A picture that was uploaded for a site. Undefined if there is none, or it was deleted. */
export async function readPicture(
  { db }: Context,
  siteKeyHash: string,
  digest: string,
): Promise<ReadablePicture | undefined> {
  const picture = await pictureByDigest(db, siteKeyHash, digest);
  if (picture === undefined) return undefined;
  async function* parts() {
    for (let from = 0; from < (picture as StoredPicture).size; from += PART_BYTES) {
      const part = await picturePart(db, siteKeyHash, digest, { from, bytes: PART_BYTES });
      if (part === undefined) throw new Error("a picture was deleted while it was sent");
      yield part;
    }
  }
  return { ...picture, parts };
}
