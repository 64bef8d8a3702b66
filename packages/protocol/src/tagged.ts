import { fromBase64url, toBase64url } from "./base64url.js";
import { concatBytes, utf8 } from "./bytes.js";
import { canonicalBytes } from "./json/canonicalize.js";
import { ED25519_SIGNATURE_BYTES } from "./keys/ed25519.js";
import type { Ed25519Jwk } from "./keys/jwk.js";
import { type Signer, type Verify, verifyWithWebCrypto } from "./keys/signer.js";
import { type MessageType, TAGS } from "./wire.js";

const ZERO = Uint8Array.of(0);

/**
 * The bytes a message of one type is signed over: ASCII(tag) ‖ 0x00 ‖ UTF-8(JCS(message)).
 * Neither tag nor JCS text holds a raw zero byte, so the first zero is the boundary and no two
 * types can share bytes; nor can a JWS (starts `ey`) or an RFC 9421 base (starts `"`).
 *
 * @example
 * toHex(taggedBytes("mandate", {})).endsWith("007b7d"); //=> true
 */
export function taggedBytes(type: MessageType, message: unknown): Uint8Array<ArrayBuffer> {
  return concatBytes(utf8(TAGS[type]), ZERO, canonicalBytes(message));
}

/**
 * Signs a message under its type's tag; 86 characters of base64url.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * (await signTagged("mandate", { v: 1 }, signer)).length; //=> 86
 */
export async function signTagged(
  type: MessageType,
  message: unknown,
  signer: Signer,
): Promise<string> {
  if (signer.alg !== "EdDSA") throw new TypeError("signTagged: tagged messages use Ed25519");
  return toBase64url(await signer.sign(taggedBytes(type, message)));
}

/**
 * Whether a signature made by {@link signTagged} holds for this type, message and key.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const signature = await signTagged("mandate", { v: 1 }, signer);
 * await verifyTagged("mandate", { v: 1 }, signature, jwk); //=> true
 * await verifyTagged("receipt", { v: 1 }, signature, jwk); //=> false
 */
export async function verifyTagged(
  type: MessageType,
  message: unknown,
  signature: string,
  key: Ed25519Jwk,
  verify: Verify = verifyWithWebCrypto,
): Promise<boolean> {
  const bytes = fromBase64url(signature);
  if (bytes?.length !== ED25519_SIGNATURE_BYTES) return false;
  return verify(key, taggedBytes(type, message), bytes);
}
