import { nodeCrypto } from "./node-crypto.js";

const encoder = new TextEncoder();
const HEX_DIGITS = "0123456789abcdef";
/** Every byte as two digits: hashes are written by the thousand. */
const HEX_BYTES = Array.from(
  { length: 256 },
  (_, byte) => HEX_DIGITS.charAt(byte >> 4) + HEX_DIGITS.charAt(byte & 15),
);

/**
 * UTF-8 bytes of a string. A lone surrogate becomes U+FFFD, so check untrusted text first.
 *
 * @example
 * toHex(utf8("é")); //=> "c3a9"
 */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * Lower-case hexadecimal.
 *
 * @example
 * toHex(Uint8Array.of(0, 255)); //=> "00ff"
 */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += HEX_BYTES[bytes[i] as number];
  return text;
}

/**
 * Bytes of an even-length hexadecimal string; `undefined` for anything else.
 *
 * @example
 * fromHex("00ff"); //=> Uint8Array.of(0, 255)
 * fromHex("0"); //=> undefined
 */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
}

/**
 * Joins byte arrays.
 *
 * @example
 * toHex(concatBytes(Uint8Array.of(1), Uint8Array.of(2, 3))); //=> "010203"
 */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/**
 * SHA-256, by the platform. A text is hashed as its UTF-8.
 *
 * @example
 * toHex(await sha256("abc")).slice(0, 8); //=> "ba7816bf"
 */
export async function sha256(data: Uint8Array | string): Promise<Uint8Array<ArrayBuffer>> {
  if (nodeCrypto !== undefined) return new Uint8Array(nodeCrypto.hash("sha256", data, "buffer"));
  const bytes = typeof data === "string" ? utf8(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
}
