import type { Queries, Transaction } from "../../../infra/db/database.js";
import { selectNumber } from "../../../infra/db/statements.js";
import type { PictureType } from "./cleaned.js";
import type { Picture } from "./picture.js";

/** A stored picture without its bytes. */
export interface StoredPicture {
  readonly type: PictureType;
  readonly size: number;
}

/** Stores a picture, or notes that the same one was uploaded again. */
export async function storePicture(
  tx: Transaction,
  siteKeyHash: string,
  { digest, type, bytes }: Picture,
  now: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO product_pictures (site_key_hash, digest, type, size, stored_at, bytes)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (site_key_hash, digest) DO UPDATE SET stored_at = excluded.stored_at`,
    siteKeyHash,
    digest,
    type,
    bytes.length,
    now,
    bytes,
  );
}

export function pictureByDigest(
  db: Queries,
  siteKeyHash: string,
  digest: string,
): Promise<StoredPicture | undefined> {
  const sql = "SELECT type, size FROM product_pictures WHERE site_key_hash = ? AND digest = ?";
  return db.get<StoredPicture>(sql, siteKeyHash, digest);
}

/** Some bytes of a picture; undefined if it was deleted. */
export async function picturePart(
  db: Queries,
  siteKeyHash: string,
  digest: string,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Uint8Array | undefined> {
  const row = await db.get<{ part: Uint8Array }>(
    `SELECT SUBSTR(bytes, CAST(? AS INTEGER), CAST(? AS INTEGER)) AS part
     FROM product_pictures WHERE site_key_hash = ? AND digest = ?`,
    from + 1,
    bytes,
    siteKeyHash,
    digest,
  );
  return row?.part;
}

/** What the pictures of a site take. */
export function pictureBytes(db: Queries, siteKeyHash: string): Promise<number> {
  return selectNumber(db, "SUM(size)", "product_pictures WHERE site_key_hash = ?", siteKeyHash);
}

/** The sites that have pictures. */
export async function sitesWithPictures(db: Queries): Promise<readonly string[]> {
  const sql = "SELECT DISTINCT site_key_hash FROM product_pictures ORDER BY site_key_hash";
  const rows = await db.all<{ site_key_hash: string }>(sql);
  return rows.map(({ site_key_hash }) => site_key_hash);
}

/** The end of an address of a picture is its digest. Other addresses end in nothing that a digest could be. */
const usedIn = (table: string) =>
  `SELECT SUBSTR(image_url, LENGTH(image_url) - 42) FROM ${table}
   WHERE site_key_hash = ? AND image_url LIKE '%/v1/pictures/%'`;

/** Whether a product has it among its other pictures. */
const isAdditionalIn = (table: string) =>
  `EXISTS (SELECT 1 FROM ${table} WHERE site_key_hash = ?
   AND additional_image_urls LIKE '%/v1/pictures/%/' || product_pictures.digest || '%')`;

/**
 * Deletes the pictures, stored before a time, that no product uses and no undone import would bring back, except the
 * picture of the shop.
 */
export async function deleteUnused(
  tx: Transaction,
  siteKeyHash: string,
  { before, shop }: { readonly before: number; readonly shop: string | null },
): Promise<void> {
  await tx.run(
    `DELETE FROM product_pictures WHERE site_key_hash = ? AND stored_at < ? AND digest <> ? AND digest NOT IN
       (${usedIn("products")} UNION ALL ${usedIn("replaced_products")})
     AND NOT ${isAdditionalIn("products")} AND NOT ${isAdditionalIn("replaced_products")}`,
    siteKeyHash,
    before,
    shop ?? "",
    siteKeyHash,
    siteKeyHash,
    siteKeyHash,
    siteKeyHash,
  );
}
