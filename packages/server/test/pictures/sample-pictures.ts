import { readFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

/** Small pictures, written by Chromium: 12 by 8 pixels. */
export const JPEG = fixture("rose.jpg");
export const PNG = fixture("rose.png");
export const WEBP = fixture("rose.webp");
export const TRANSPARENT_WEBP = fixture("rose-transparent.webp");
export const LOSSLESS_WEBP = fixture("rose-lossless.webp");

/** A segment of a JPEG file. */
export function segment(marker: number, data: string | Uint8Array): Buffer {
  const body = Buffer.from(data as string, "latin1");
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** A JPEG file with more behind its first two bytes, where cameras write what they know. */
export const jpegWith = (...more: readonly Uint8Array[]) =>
  Buffer.concat([JPEG.subarray(0, 2), ...more, JPEG.subarray(2)]);

/** Exif data with the place of a photo, and which side of it is up. */
export function exif(orientation: number): Buffer {
  const tiff = Buffer.alloc(38);
  tiff.write("II*\0", "latin1");
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(2, 8);
  // The place: an entry that points to more entries.
  tiff.writeUInt16LE(0x8825, 10);
  tiff.writeUInt16LE(4, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(0x0112, 22);
  tiff.writeUInt16LE(3, 24);
  tiff.writeUInt32LE(1, 26);
  tiff.writeUInt16LE(orientation, 30);
  return segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), tiff, Buffer.from("52.5200 N")]));
}

/** A chunk of a PNG file. */
export function pngChunk(type: string, data: string | Uint8Array): Buffer {
  const body = Buffer.from(data as string, "latin1");
  const chunk = Buffer.alloc(12 + body.length);
  chunk.writeUInt32BE(body.length);
  chunk.write(type, 4, "latin1");
  body.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + body.length)), 8 + body.length);
  return chunk;
}

const PNG_HEAD_BYTES = 8 + 25;

/** The sample with more chunks behind its header. */
export const pngWith = (...more: readonly Uint8Array[]) =>
  Buffer.concat([PNG.subarray(0, PNG_HEAD_BYTES), ...more, PNG.subarray(PNG_HEAD_BYTES)]);

/** A PNG file that says it has any size, with data of any length. */
export function pngOf(width: number, height: number, data = Buffer.alloc(1)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    PNG.subarray(0, 8),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(data, { level: 0 })),
    pngChunk("IEND", ""),
  ]);
}

/** A chunk of a WebP file. */
export function webpChunk(type: string, data: string | Uint8Array): Buffer {
  const body = Buffer.from(data as string, "latin1");
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** The sample with more chunks at its end, inside the length that its head states. */
export function webpWith(...more: readonly Uint8Array[]): Buffer {
  const file = Buffer.concat([WEBP, ...more]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}
