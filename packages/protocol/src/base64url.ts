const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const ascii = new TextDecoder();

/** The ASCII bytes of unpadded base64url: what a JWS signs, without a string in between. */
export function base64urlBytes(bytes: Uint8Array): Uint8Array {
  const encoded = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  let at = 0;
  let i = 0;
  for (; i + 2 < bytes.length; i += 3) {
    const group =
      ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    encoded[at++] = CODES[group >> 18] as number;
    encoded[at++] = CODES[(group >> 12) & 63] as number;
    encoded[at++] = CODES[(group >> 6) & 63] as number;
    encoded[at++] = CODES[group & 63] as number;
  }
  const left = bytes.length - i;
  if (left === 0) return encoded;
  const group = ((bytes[i] as number) << 10) | (left > 1 ? (bytes[i + 1] as number) << 2 : 0);
  encoded[at++] = CODES[group >> 12] as number;
  encoded[at++] = CODES[(group >> 6) & 63] as number;
  if (left > 1) encoded[at] = CODES[group & 63] as number;
  return encoded;
}

/**
 * Unpadded base64url (RFC 4648 section 5).
 *
 * @example
 * toBase64url(Uint8Array.of(251, 255)); //=> "-_8"
 */
export function toBase64url(bytes: Uint8Array): string {
  return ascii.decode(base64urlBytes(bytes));
}

/**
 * Decodes unpadded base64url and refuses everything else: padding, the `+/` alphabet, white
 * space, impossible lengths and non-zero trailing bits. One byte string has one spelling, so a
 * signature or key cannot be re-encoded into a second valid form.
 *
 * @example
 * fromBase64url("-_8"); //=> Uint8Array.of(251, 255)
 * fromBase64url("-_9"); //=> undefined
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const tail = text.length % 4;
  if (tail === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let offset = 0;
  let bits = 0;
  let group = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? (VALUES[code] as number) : -1;
    if (value < 0) return undefined;
    group = ((group << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[offset++] = (group >> bits) & 255;
    }
  }
  return (group & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}
