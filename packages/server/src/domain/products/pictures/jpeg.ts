import { broken, type Cleaned, INCOMPLETE, picture, startsWith } from "./cleaned.js";
import { orientationPart } from "./orientation.js";

/** The first bytes of every JPEG file. */
export const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda];
/** Tables that the picture is drawn with: Huffman codes, quantization, restart interval. */
const TABLES: readonly number[] = [0xc4, 0xdb, 0xdd];
/** Frames that every browser draws: baseline, extended and progressive. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
const APP = { first: 0xe0, last: 0xef } as const;
const COMMENT = 0xfe;
/** Application data that changes colors. Everything else in it says where, when and with what a photo was made. */
const COLOR_DATA: readonly (readonly [marker: number, start: Buffer])[] = [
  [0xe0, Buffer.from("JFIF\0")],
  [0xe2, Buffer.from("ICC_PROFILE\0")],
  [0xee, Buffer.from("Adobe")],
];
const EXIF = 0xe1;

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

/** Where the compressed data of a scan ends: at the next marker that does not belong to it. */
function scanEnd(file: Buffer, from: number): number | undefined {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) return undefined;
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at;
  }
  return undefined;
}

/** What is kept of a segment; undefined for one that does not draw the picture. */
function keptPart(marker: number, segment: Buffer): Buffer | undefined {
  if (TABLES.includes(marker) || FRAMES.includes(marker) || marker === SOS) return segment;
  const body = segment.subarray(4);
  if (marker === EXIF) return orientationPart(body);
  const isColor = COLOR_DATA.some(([one, start]) => one === marker && startsWith(body, start));
  return isColor ? segment : undefined;
}

const isKnown = (marker: number) =>
  TABLES.includes(marker) ||
  FRAMES.includes(marker) ||
  marker === SOS ||
  marker === COMMENT ||
  (marker >= APP.first && marker <= APP.last);

/** Copies the segments of a JPEG file that draw the picture, up to its end. */
export function cleanJpeg(bytes: Uint8Array): Cleaned {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [Buffer.from([0xff, SOI])];
  let size: { width: number; height: number } | undefined;
  let hasScan = false;
  for (let at = 2; ; ) {
    // A marker can have fill bytes before it.
    while (file[at] === 0xff && file[at + 1] === 0xff) at++;
    const marker = file[at + 1];
    if (file[at] !== 0xff || marker === undefined) return INCOMPLETE;
    if (marker === EOI) {
      if (size === undefined || !hasScan) return INCOMPLETE;
      return picture("image/jpeg", size, [...parts, Buffer.from([0xff, EOI])]);
    }
    if (!isKnown(marker)) return broken("This kind of JPEG is not supported. Save it again.");
    const length = at + 4 <= file.length ? file.readUInt16BE(at + 2) : 0;
    const end = at + 2 + length;
    if (length < 2 || end > file.length) return INCOMPLETE;
    const part = keptPart(marker, file.subarray(at, end));
    if (part !== undefined) parts.push(part);
    at = end;
    if (FRAMES.includes(marker)) {
      if (size !== undefined || length < 8) return INCOMPLETE;
      size = {
        height: file.readUInt16BE(end - length + 3),
        width: file.readUInt16BE(end - length + 5),
      };
    } else if (marker === SOS) {
      const next = scanEnd(file, end);
      if (size === undefined || next === undefined) return INCOMPLETE;
      parts.push(file.subarray(end, next));
      hasScan = true;
      at = next;
    }
  }
}
