import { crc32 } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MS_IN_S = 1000;

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

function* chunksOf(png) {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    yield { type, data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

const uint32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** `fcTL` (APNG 1.0): the whole picture, shown so long. */
function frameControl(sequence, header, ms) {
  const data = Buffer.alloc(26);
  data.writeUInt32BE(sequence, 0);
  header.copy(data, 4, 0, 8);
  data.writeUInt16BE(ms, 20);
  data.writeUInt16BE(MS_IN_S, 22);
  return chunk("fcTL", data);
}

/** One PNG that shows several of the same size one after the other, for ever. */
export function animatedPng(pictures, ms) {
  const frames = pictures.map((png) => [...chunksOf(png)]);
  const headers = frames.map((chunks) => chunks.find(({ type }) => type === "IHDR").data);
  if (headers.some((header) => !header.equals(headers[0])))
    throw new Error("pictures differ in form");
  const control = chunk("acTL", Buffer.concat([uint32(frames.length), uint32(0)]));
  const out = [SIGNATURE, chunk("IHDR", headers[0]), control];
  let sequence = 0;
  for (const [i, chunks] of frames.entries()) {
    out.push(frameControl(sequence++, headers[0], ms));
    for (const { data } of chunks.filter(({ type }) => type === "IDAT")) {
      if (i === 0) out.push(chunk("IDAT", data));
      else out.push(chunk("fdAT", Buffer.concat([uint32(sequence++), data])));
    }
  }
  return Buffer.concat([...out, chunk("IEND", Buffer.alloc(0))]);
}
