import { createHash } from "node:crypto";
import { ok, PICTURES_PATH, pictureUrl, type Result } from "@gatehouse/protocol";
import { HOUR_MS } from "../../../infra/time.js";
import { broken, type CleanedPicture, startsWith } from "./cleaned.js";
import { cleanJpeg, JPEG_START } from "./jpeg.js";
import { cleanPng, PNG_START } from "./png.js";
import { cleanWebp, isWebp } from "./webp.js";

/** The largest file that an owner can upload. A row of a backup holds it in base64. */
export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;
/** Programs that show a picture need four bytes of memory for each pixel. */
export const PICTURE_PIXELS_MAX = 25_000_000;
const PICTURE_SIDE_PIXELS_MAX = 10_000;
/** What all pictures of a site may take. */
export const SITE_PICTURE_BYTES_MAX = 512 * 1024 * 1024;
/** A picture that is not in use is kept for this long, so that none is deleted while it is being saved. */
export const UNUSED_PICTURE_KEPT_MS = HOUR_MS;

/** Pictures uploaded at a time, per site and in all. Each is in memory as a whole. */
export const PICTURE_UPLOADS_MAX = { perKey: 2, total: 16 };

/** SHA-256 in base64url. */
export const DIGEST = /^[\w-]{43}$/;

/** A picture of a product or of the shop, named by its content. */
export interface Picture extends CleanedPicture {
  /** SHA-256 of the bytes, in base64url. */
  readonly digest: string;
}

/** The paths of all pictures, for the table of routes. */
export const PICTURE_ROUTE = `${PICTURES_PATH}/{site_key_hash}/{picture}`;

/** Whether an address is that of a picture that was uploaded for a site. */
export function isPictureUrl(baseUrl: string, siteKeyHash: string, url: unknown): url is string {
  const start = pictureUrl(baseUrl, siteKeyHash, "");
  return typeof url === "string" && url.startsWith(start) && DIGEST.test(url.slice(start.length));
}

/** By the bytes of the file, not by its name or its sender. */
function cleaned(bytes: Uint8Array) {
  if (startsWith(bytes, JPEG_START)) return cleanJpeg(bytes);
  if (startsWith(bytes, PNG_START)) return cleanPng(bytes);
  if (isWebp(bytes)) return cleanWebp(bytes);
  return broken("The file is not a picture. Choose a JPEG, PNG or WebP file.");
}

/** Reads an uploaded file strictly. What does not draw the picture is left out. */
export function readPicture(bytes: Uint8Array): Result<Picture, "invalid"> {
  const read = cleaned(bytes);
  if (!read.ok) return read;
  const { width, height } = read.value;
  const isLarge = width * height > PICTURE_PIXELS_MAX;
  if (isLarge || Math.max(width, height) > PICTURE_SIDE_PIXELS_MAX) {
    const most = `${PICTURE_PIXELS_MAX / 1_000_000} megapixels and ${PICTURE_SIDE_PIXELS_MAX} pixels a side`;
    return broken(`The picture is too large. It can have at most ${most}.`);
  }
  const digest = createHash("sha256").update(read.value.bytes).digest("base64url");
  return ok({ ...read.value, digest });
}
