import type { Ids } from "../../infra/ids.js";

const RANDOM_BYTES = 10;

/** A UUID of version 7 (RFC 9562): the moment, then chance, so that ids sort as they were made. */
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
