import { crc32 } from "node:zlib";

const VERSION_NEEDED = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the first day that a zip can name: the day of packing must not change the bytes. */
const DOS_DATE = 0x0021;
/** A regular file that everybody may read, as Unix writes it. */
const MADE_BY_UNIX = 3 << 8;
const FILE_MODE = (0o100644 << 16) >>> 0;

/** What both headers of a file have in common. Files are stored as they are: compressors differ between versions. */
function description(name, bytes) {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION_NEEDED, 0);
  fields.writeUInt16LE(FLAGS, 2);
  fields.writeUInt16LE(DOS_DATE, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(bytes.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

/** A zip of files, sorted by name. The same files make the same bytes. */
export function zipOf(files) {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { name, bytes } of sorted) {
    const fields = description(name, bytes);
    const entry = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), bytes]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(FILE_MODE, 6);
    rest.writeUInt32LE(at, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(MADE_BY_UNIX | VERSION_NEEDED, 0);
    directory.push(Buffer.from("PK\x01\x02"), madeBy, fields, rest, Buffer.from(name));
    parts.push(entry);
    at += entry.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(sorted.length, 4);
  end.writeUInt16LE(sorted.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, central, Buffer.from("PK\x05\x06"), end]);
}
