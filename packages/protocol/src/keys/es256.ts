import { ok, type Result, refuse } from "../result.js";
import type { Es256Jwk } from "./jwk.js";

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const ES256 = { name: "ECDSA", hash: "SHA-256" } as const;

/** Length of an ES256 signature in the r‖s form of RFC 7518 section 3.4. */
export const ES256_SIGNATURE_BYTES = 64;

/**
 * Imports a P-256 public key; the platform refuses points that are not on the curve. P-256 has
 * prime order, so no further check of the point is needed.
 *
 * @example
 * const zero = "A".repeat(43);
 * (await importEs256({ kty: "EC", crv: "P-256", x: zero, y: zero })).reason; //=> "not_a_point"
 */
export async function importEs256(jwk: Es256Jwk): Promise<Result<CryptoKey, "not_a_point">> {
  try {
    return ok(await crypto.subtle.importKey("jwk", { ...jwk }, P256, true, ["verify"]));
  } catch {
    return refuse("not_a_point", "the key is not a point of P-256");
  }
}

/**
 * Verifies an ES256 signature (r‖s, 64 bytes).
 *
 * @example
 * const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
 * await verifyEs256(pair.publicKey, new Uint8Array(1), new Uint8Array(64)); //=> false
 */
export async function verifyEs256(
  key: CryptoKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (signature.length !== ES256_SIGNATURE_BYTES) return false;
  return crypto.subtle.verify(ES256, key, signature as BufferSource, message as BufferSource);
}
