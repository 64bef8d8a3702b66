/** How Exif data begins in a JPEG file, before its TIFF header. */
const EXIF_START = Buffer.from("Exif\0\0");
const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;
/** No camera writes more entries. */
const ENTRIES_MAX = 500;

/** How a camera was held: 1 to 8; undefined if Exif data does not say it. */
function orientationIn(tiff: Buffer): number | undefined {
  const order = tiff.toString("latin1", 0, 2);
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return undefined;
  const isLittle = order === "II";
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return undefined;
  const entries = Math.min(short(directory), ENTRIES_MAX);
  for (let i = 0; i < entries; i++) {
    const at = directory + 2 + i * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return undefined;
    if (short(at) !== ORIENTATION_TAG || short(at + 2) !== SHORT) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/**
 * A segment of Exif data that says only which side of a photo is up; undefined if that is the usual one. The rest of
 * Exif data can say where the photo was taken.
 */
export function orientationPart(body: Buffer): Buffer | undefined {
  if (!body.subarray(0, EXIF_START.length).equals(EXIF_START)) return undefined;
  const orientation = orientationIn(body.subarray(EXIF_START.length));
  if (orientation === undefined || orientation === 1) return undefined;
  const tiff = Buffer.alloc(26);
  tiff.write("MM\0*", "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION_TAG, 10);
  tiff.writeUInt16BE(SHORT, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(2 + EXIF_START.length + tiff.length, 2);
  return Buffer.concat([head, EXIF_START, tiff]);
}
