import { randomBytes } from "node:crypto";
import { toBase64url } from "@gatehouse/protocol";

/** Where chance comes from. */
export interface Ids {
  bytes(length: number): Uint8Array;
  /** A public id of 128 random bits with a prefix that says what it names. */
  id(prefix: string): string;
}

const ID_BYTES = 16;

export const systemIds: Ids = {
  bytes: (length) => randomBytes(length),
  id: (prefix) => `${prefix}_${toBase64url(randomBytes(ID_BYTES))}`,
};
