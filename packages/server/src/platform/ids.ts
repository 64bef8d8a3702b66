import { randomBytes } from "node:crypto";

/** Where chance comes from. */
export interface Ids {
  bytes(length: number): Uint8Array;
  /** A public id of 144 random bits with a prefix that says what it names. */
  id(prefix: string): string;
}

/** 144 random bits: 24 characters without a remainder, so that many can be encoded at once. */
const ID_BYTES = 18;
const ID_CHARS = 24;
/** Ids made at once: asking the system for each costs more than everything else about it. */
const POOL_IDS = 256;

let pool = "";
let used = 0;

/** Every character of the pool goes into one id only. */
function idText(): string {
  if (used === pool.length) {
    pool = randomBytes(ID_BYTES * POOL_IDS).toString("base64url");
    used = 0;
  }
  used += ID_CHARS;
  return pool.slice(used - ID_CHARS, used);
}

export const systemIds: Ids = {
  bytes: (length) => randomBytes(length),
  id: (prefix) => `${prefix}_${idText()}`,
};
