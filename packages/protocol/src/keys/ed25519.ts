import { Point } from "@noble/ed25519";
import { fromBase64url, toBase64url } from "../base64url.js";
import { sha256, toHex } from "../bytes.js";
import { nodeCrypto } from "../node-crypto.js";
import { ok, type Result, refuse } from "../result.js";
import { KEY_ID_PREFIXES, type KeyPurpose } from "../wire.js";
import type { Ed25519Jwk } from "./jwk.js";

/** Length of a raw Ed25519 public key. */
export const ED25519_KEY_BYTES = 32;
/** Length of an Ed25519 signature; 86 characters of base64url. */
export const ED25519_SIGNATURE_BYTES = 64;

/** Why a public key must not be registered. */
export type Ed25519KeyFault = "not_a_point" | "small_order" | "mixed_order";

/**
 * Checks a key once, before it is trusted. Verifiers of OpenSSL and BoringSSL accept small-order
 * keys, for which one constant signature verifies under every message, and non-canonical
 * encodings, which give one key two spellings. Only canonical points of prime order pass.
 *
 * @example
 * checkEd25519PublicKey(new Uint8Array(32)).reason; //=> "small_order"
 */
export function checkEd25519PublicKey(key: Uint8Array): Result<Uint8Array, Ed25519KeyFault> {
  const point = readPoint(key);
  if (!point.ok) return point;
  const isPrimeOrder = point.value.isTorsionFree();
  return isPrimeOrder ? ok(key) : refuse("mixed_order", "the key has a small-order component");
}

/**
 * A tenth of the work of {@link checkEd25519PublicKey}, for a key that is checked again before it is
 * trusted. Keys of mixed order pass.
 *
 * @example
 * glanceAtEd25519PublicKey(new Uint8Array(32)).reason; //=> "small_order"
 */
export function glanceAtEd25519PublicKey(key: Uint8Array): Result<Uint8Array, Ed25519KeyFault> {
  const point = readPoint(key);
  return point.ok ? ok(key) : point;
}

function readPoint(key: Uint8Array): Result<Point, Ed25519KeyFault> {
  let point: Point;
  try {
    point = Point.fromBytes(key);
  } catch {
    return refuse("not_a_point", "the key is not a canonical point of the curve");
  }
  const isSmall = point.isSmallOrder();
  return isSmall ? refuse("small_order", "the key is a point of small order") : ok(point);
}

/** Keys kept imported: whoever checks a thousand signatures checks them by few keys. */
const IMPORTED_KEYS_MAX = 32;
const importedKeys = new Map<string, Promise<ImportedKey>>();

interface ImportedKey {
  readonly key: CryptoKey;
  /** The same for Node's own crypto, where there is one. */
  readonly node: object | undefined;
}

async function importKey(publicKey: Uint8Array): Promise<ImportedKey> {
  const raw = publicKey.slice() as BufferSource;
  const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  return { key, node: nodeCrypto?.KeyObject.from(key) };
}

function importedKey(publicKey: Uint8Array): Promise<ImportedKey> {
  const name = toHex(publicKey);
  let key = importedKeys.get(name);
  if (key === undefined) {
    if (importedKeys.size >= IMPORTED_KEYS_MAX) importedKeys.clear();
    key = importKey(publicKey);
    // A platform may refuse once and not again; a refusal is not kept.
    key.catch(() => importedKeys.delete(name));
    importedKeys.set(name, key);
  }
  return key;
}

/**
 * Verifies a pure Ed25519 signature (RFC 8032) by the platform: cofactorless, S < L enforced.
 * A key or signature of the wrong length is simply not valid.
 *
 * @example
 * await verifyEd25519(new Uint8Array(32), new Uint8Array(0), new Uint8Array(63)); //=> false
 */
export async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (publicKey.length !== ED25519_KEY_BYTES) return false;
  if (signature.length !== ED25519_SIGNATURE_BYTES) return false;
  try {
    const { key, node } = await importedKey(publicKey);
    if (node !== undefined) return nodeCrypto?.verify(null, message, node, signature) === true;
    const [signed, text] = [signature as BufferSource, message as BufferSource];
    return await crypto.subtle.verify("Ed25519", key, signed, text);
  } catch {
    // Import fails for bytes that are not a point; such a key verifies nothing.
    return false;
  }
}

/**
 * The JWK of a raw public key.
 *
 * @example
 * ed25519Jwk(new Uint8Array(32)).x.length; //=> 43
 */
export function ed25519Jwk(publicKey: Uint8Array): Ed25519Jwk {
  return Object.freeze({ kty: "OKP", crv: "Ed25519", x: toBase64url(publicKey) });
}

/**
 * The raw public key of a JWK that {@link readPublicJwk} accepted.
 *
 * @example
 * ed25519Bytes({ kty: "OKP", crv: "Ed25519", x: "A".repeat(43) }).length; //=> 32
 */
export function ed25519Bytes(jwk: Ed25519Jwk): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64url(jwk.x);
  if (bytes?.length !== ED25519_KEY_BYTES) throw new TypeError("ed25519Bytes: not a read JWK");
  return bytes;
}

/**
 * The id of a key of the service: a prefix that says what it signs, then the first 16 hex
 * characters of SHA-256 over the raw public key.
 *
 * @example
 * await serviceKeyId("card", new Uint8Array(32)); //=> "service-card-ed25519-v1-66687aadf862bd77"
 */
export async function serviceKeyId(purpose: KeyPurpose, publicKey: Uint8Array): Promise<string> {
  return KEY_ID_PREFIXES[purpose] + toHex(await sha256(publicKey)).slice(0, 16);
}
