import { ok, type Result, refuse } from "@gatehouse/protocol";

/** The formats that a picture can have. No SVG: it can contain scripts. */
export const PICTURE_TYPES = ["image/jpeg", "image/png", "image/webp"] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** A picture without everything that does not draw it: places, names of cameras, comments, other files behind it. */
export interface CleanedPicture {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** What the sentence begins with says what is wrong with the file. */
export type Cleaned = Result<CleanedPicture, "invalid">;

export const broken = (detail: string) => refuse("invalid", detail);
export const INCOMPLETE = broken("The file is incomplete or damaged. Choose another file.");

/** Puts the parts together that draw a picture. */
export function picture(
  type: PictureType,
  { width, height }: Pick<CleanedPicture, "width" | "height">,
  parts: readonly Uint8Array[],
): Cleaned {
  if (width === 0 || height === 0) return INCOMPLETE;
  return ok({ type, width, height, bytes: Buffer.concat(parts) });
}

export const startsWith = (bytes: Uint8Array, start: Uint8Array, at = 0): boolean =>
  Buffer.compare(bytes.subarray(at, at + start.length), start) === 0;
