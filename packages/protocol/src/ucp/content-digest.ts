import { parseDictionary } from "structured-headers";
import { toBase64 } from "../base64.js";
import { sha256 } from "../bytes.js";

const HEADER_CHARS_MAX = 1024;

/**
 * The `Content-Digest` of a body (RFC 9530).
 *
 * @example
 * await contentDigest(utf8('{"hello": "world"}')); //=> "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
 */
export async function contentDigest(body: Uint8Array): Promise<string> {
  return `sha-256=:${toBase64(await sha256(body))}:`;
}

/**
 * Whether a `Content-Digest` is that of a body. Only SHA-256 is looked at, which UCP asks for.
 *
 * @example
 * await digestMatches(await contentDigest(utf8("{}")), utf8("{}")); //=> true
 * await digestMatches("md5=:AA==:", utf8("{}")); //=> false
 */
export async function digestMatches(header: string, body: Uint8Array): Promise<boolean> {
  if (header.length > HEADER_CHARS_MAX) return false;
  try {
    const value = parseDictionary(header).get("sha-256")?.[0];
    if (!(value instanceof ArrayBuffer)) return false;
    return toBase64(new Uint8Array(value)) === toBase64(await sha256(body));
  } catch {
    return false;
  }
}
