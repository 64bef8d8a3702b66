import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Below this a text does not get smaller. */
const PACKED_CHARS_MIN = 512;

/**
 * A JSON value as a text column stores it. Long values are compressed, because strangers choose how
 * long they are. The JSON text of an object or list never looks like base64.
 */
export function packJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length < PACKED_CHARS_MIN) return text;
  return deflateRawSync(text, { level: 1 }).toString("base64");
}

export function unpackJson<T>(text: string): T {
  const plain = text.startsWith("{") || text.startsWith("[");
  return JSON.parse(plain ? text : inflateRawSync(Buffer.from(text, "base64")).toString("utf8"));
}
