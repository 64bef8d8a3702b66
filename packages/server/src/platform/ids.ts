import { randomBytes } from "node:crypto";

/** Where chance comes from. */
export interface Ids {
  bytes(length: number): Uint8Array;
  /** A public id of 128 random bits with a prefix that says what it names. */
  id(prefix: string): string;
}

const ID_BYTES = 16;
/** Random bytes fetched at once: asking the system for each id costs more than making it. */
const POOL_BYTES = 4096;

let pool = randomBytes(POOL_BYTES);
let used = 0;

/** Every byte of the pool names one thing only. */
function idText(): string {
  if (used === POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString("base64url", used - ID_BYTES, used);
}

export const systemIds: Ids = {
  bytes: (length) => randomBytes(length),
  id: (prefix) => `${prefix}_${idText()}`,
};
