import { crc32 } from "node:zlib";
import { type Cleaned, INCOMPLETE, picture } from "./cleaned.js";

/** The first bytes of every PNG file. */
export const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Chunks that draw the picture or change its colors. Texts, times, places and animations are left out. */
const KEPT: ReadonlySet<string> = new Set([
  "IHDR",
  "PLTE",
  "IDAT",
  "IEND",
  "tRNS",
  "gAMA",
  "cHRM",
  "sRGB",
  "iCCP",
  "cICP",
  "sBIT",
  "pHYs",
]);
const HEADER_BYTES = 13;
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12;

/** Upper case means that a reader cannot draw the picture without the chunk. */
const isNeeded = (type: string) => /^[A-Z]/.test(type);

/** Copies the chunks of a PNG file that draw the picture, up to its end. */
export function cleanPng(bytes: Uint8Array): Cleaned {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [PNG_START];
  let size: { width: number; height: number } | undefined;
  let hasData = false;
  for (let at = PNG_START.length; at + FRAME_BYTES <= file.length; ) {
    const length = file.readUInt32BE(at);
    const end = at + FRAME_BYTES + length;
    if (end > file.length) return INCOMPLETE;
    const type = file.toString("latin1", at + 4, at + 8);
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return INCOMPLETE;
    const isFirst = size === undefined;
    if (isFirst !== (type === "IHDR") || (isFirst && length !== HEADER_BYTES)) return INCOMPLETE;
    size ??= { width: file.readUInt32BE(at + 8), height: file.readUInt32BE(at + 12) };
    if (KEPT.has(type)) parts.push(file.subarray(at, end));
    else if (isNeeded(type)) return INCOMPLETE;
    hasData ||= type === "IDAT";
    if (type === "IEND") return hasData ? picture("image/png", size, parts) : INCOMPLETE;
    at = end;
  }
  return INCOMPLETE;
}
