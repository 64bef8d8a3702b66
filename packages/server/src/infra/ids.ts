import { randomBytes, randomUUID } from "node:crypto";

/** The source of random bytes and ids. */
export interface Ids {
  bytes(length: number): Uint8Array;
  /** A public id of 144 random bits with a prefix that says what it names. */
  id(prefix: string): string;
  /** The same, but ids that are made later sort later, so that new rows are stored next to each other. */
  timeId(prefix: string, now: number): string;
  /** A UUID of version 4. */
  uuid(): string;
}

/** 144 random bits: 24 characters without a remainder, so that many can be encoded at once. */
const ID_BYTES = 18;
const ID_CHARS = 24;
/** Ids made at once, because asking the system for each is the largest part of its cost. */
const POOL_IDS = 256;

let pool = "";
let used = 0;

/** No character of the pool is used twice. */
function idText(): string {
  if (used === pool.length) {
    pool = randomBytes(ID_BYTES * POOL_IDS).toString("base64url");
    used = 0;
  }
  used += ID_CHARS;
  return pool.slice(used - ID_CHARS, used);
}

/** 48 bits of milliseconds as twelve digits. Cached, because many ids have the same time. */
function timeText(now: number): string {
  if (now !== lastTime.now) lastTime = { now, text: now.toString(16).padStart(12, "0") };
  return lastTime.text;
}

let lastTime = { now: 0, text: "000000000000" };

/** Bytes asked for at once, for the same reason. Each is used once and then overwritten. */
const POOL_BYTES = 4096;
let bytePool = Buffer.alloc(0);

function pooledBytes(length: number): Uint8Array {
  if (length > POOL_BYTES / 16) return randomBytes(length);
  if (bytePool.length < length) bytePool = randomBytes(POOL_BYTES);
  const taken = Uint8Array.prototype.slice.call(bytePool, 0, length);
  bytePool.fill(0, 0, length);
  bytePool = bytePool.subarray(length);
  return taken;
}

export const systemIds: Ids = {
  uuid: randomUUID,
  bytes: pooledBytes,
  id: (prefix) => `${prefix}_${idText()}`,
  timeId: (prefix, now) => `${prefix}_${timeText(now)}${idText()}`,
};

const RANDOM_BYTES = 10;

/** A UUID of version 7 (RFC 9562): the time first, then random bits, so that ids sort by creation time. */
export function newRecordId(ids: Ids, now: number): string {
  const bytes = Buffer.alloc(6 + RANDOM_BYTES);
  bytes.writeUIntBE(now, 0, 6);
  bytes.set(ids.bytes(RANDOM_BYTES), 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString("hex");
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${a}-${b}-${c}-${d}-${hex.slice(20)}`;
}
