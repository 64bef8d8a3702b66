import { broken, type Cleaned, type CleanedPicture, INCOMPLETE, picture } from "./cleaned.js";

const RIFF_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
/** The parts of an extended file that draw it. Exif and XMP data are left out. */
const KEPT: readonly string[] = ["VP8X", "ICCP", "ALPH", "VP8 ", "VP8L"];
const ANIMATED: readonly string[] = ["ANIM", "ANMF"];
/** Flags of an extended file that stay true: color profile and transparency. */
const FLAGS_KEPT = 0x30;
const LOSSY_START = Buffer.from([0x9d, 0x01, 0x2a]);
const LOSSLESS_START = 0x2f;

type Size = Pick<CleanedPicture, "width" | "height">;

/** Whether bytes begin as a WebP file does. */
export const isWebp = (bytes: Uint8Array): boolean => {
  const head = Buffer.from(bytes.subarray(0, RIFF_BYTES)).toString("latin1");
  return head.startsWith("RIFF") && head.slice(8) === "WEBP";
};

function lossySize(data: Buffer): Size | undefined {
  // Only a key frame stands alone.
  const isKeyFrame = data.length >= 10 && ((data[0] as number) & 1) === 0;
  if (!isKeyFrame || !data.subarray(3, 6).equals(LOSSY_START)) return undefined;
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

function losslessSize(data: Buffer): Size | undefined {
  if (data.length < 5 || data[0] !== LOSSLESS_START) return undefined;
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function canvasSize(data: Buffer): Size | undefined {
  if (data.length !== 10) return undefined;
  return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
}

const SIZES: Readonly<Record<string, (data: Buffer) => Size | undefined>> = {
  VP8X: canvasSize,
  "VP8 ": lossySize,
  VP8L: losslessSize,
};

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The chunks of a file as far as its head says it reaches; undefined if one is cut off. */
function chunksOf(file: Buffer): readonly Chunk[] | undefined {
  const end = CHUNK_HEAD_BYTES + file.readUInt32LE(4);
  if (end > file.length) return undefined;
  const chunks: Chunk[] = [];
  for (let at = RIFF_BYTES; at < end; ) {
    if (at + CHUNK_HEAD_BYTES > end) return undefined;
    const from = at + CHUNK_HEAD_BYTES;
    const to = from + file.readUInt32LE(at + 4);
    if (to > end) return undefined;
    chunks.push({ type: file.toString("latin1", at, at + 4), data: file.subarray(from, to) });
    // Chunks begin at even places.
    at = to + (to % 2);
  }
  return chunks;
}

function written({ type, data }: Chunk): Buffer {
  const head = Buffer.alloc(CHUNK_HEAD_BYTES);
  head.write(type, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function withoutFlags({ type, data }: Chunk): Chunk {
  if (type !== "VP8X") return { type, data };
  const flags = Buffer.from([(data[0] as number) & FLAGS_KEPT]);
  return { type, data: Buffer.concat([flags, data.subarray(1)]) };
}

/** Copies the chunks of a WebP file that draw the picture. */
export function cleanWebp(bytes: Uint8Array): Cleaned {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = chunksOf(file);
  if (chunks === undefined) return INCOMPLETE;
  if (chunks.some(({ type }) => ANIMATED.includes(type))) {
    return broken("Animated pictures are not supported. Choose a still picture.");
  }
  const kept = chunks.filter(({ type }) => KEPT.includes(type));
  const types = kept.map(({ type }) => type);
  const isExtended = types[0] === "VP8X";
  const images = types.filter((type) => type === "VP8 " || type === "VP8L");
  const isSingle = images.length === 1 && (isExtended || types.length === 1);
  if (!isSingle || types.lastIndexOf("VP8X") > 0) return INCOMPLETE;
  const sizes = kept.flatMap(({ type, data }) => {
    const read = SIZES[type];
    return read === undefined ? [] : [read(data)];
  });
  const [size] = sizes;
  // The canvas is as large as the one picture on it.
  const isSame = (one: Size | undefined) =>
    one?.width === size?.width && one?.height === size?.height;
  if (size === undefined || !sizes.every(isSame)) return INCOMPLETE;
  const parts = kept.map((chunk) => written(withoutFlags(chunk)));
  const head = Buffer.alloc(RIFF_BYTES);
  head.write("RIFF", "latin1");
  head.writeUInt32LE(4 + parts.reduce((sum, { length }) => sum + length, 0), 4);
  head.write("WEBP", 8, "latin1");
  return picture("image/webp", size, [head, ...parts]);
}
