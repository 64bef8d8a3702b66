import { randomBytes } from "node:crypto";
import { toBase64url } from "@gatehouse/protocol";

/** Where random bytes come from: the system's generator, or a seeded one in tests. */
export interface Ids {
  bytes(length: number): Uint8Array;
  /** A public id of 128 random bits with a prefix that says what it names. */
  id(prefix: string): string;
}

const ID_BYTES = 16;

export function idsFrom(bytes: (length: number) => Uint8Array): Ids {
  return { bytes, id: (prefix) => `${prefix}_${toBase64url(bytes(ID_BYTES))}` };
}

export const systemIds: Ids = idsFrom((length) => randomBytes(length));
