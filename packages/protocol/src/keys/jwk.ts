import { fromBase64url, toBase64url } from "../base64url.js";
import { sha256, utf8 } from "../bytes.js";
import { canonicalize } from "../json/canonicalize.js";
import { isJsonObject } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";

/** Members of an Ed25519 public JWK (RFC 8037) that matter; everything else is dropped. */
export interface Ed25519Jwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
}

/** Members of a P-256 public JWK (RFC 7518) that matter; everything else is dropped. */
export interface Es256Jwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** A public key Gatehouse can verify with. */
export type PublicJwk = Ed25519Jwk | Es256Jwk;

/** Why a JWK was not read. */
export type JwkFault = "not_a_jwk" | "unsupported_key" | "private_key";

const COORDINATE_BYTES = 32;

function coordinate(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return fromBase64url(value)?.length === COORDINATE_BYTES ? value : undefined;
}

/**
 * Reads a public JWK strictly into its required members. Coordinates must be 32 bytes of unpadded
 * base64url. A JWK that carries `d` is refused: somebody is about to publish a private key.
 * This checks form only; a key that will be trusted also goes through
 * {@link checkEd25519PublicKey} or {@link importEs256}.
 *
 * @example
 * const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
 * readPublicJwk({ kty: "OKP", crv: "Ed25519", x, use: "sig" }).value; //=> { kty: "OKP", crv: "Ed25519", x }
 * readPublicJwk({ kty: "oct", k: "AA" }).reason; //=> "unsupported_key"
 */
export function readPublicJwk(jwk: unknown): Result<PublicJwk, JwkFault> {
  if (!isJsonObject(jwk)) return refuse("not_a_jwk", "a JWK is a JSON object");
  if ("d" in jwk) return refuse("private_key", "the JWK holds a private key");
  const x = coordinate(jwk.x);
  if (jwk.kty === "OKP" && jwk.crv === "Ed25519") {
    if (x === undefined) return refuse("not_a_jwk", "x is not 32 bytes of base64url");
    return ok(Object.freeze({ kty: "OKP", crv: "Ed25519", x }));
  }
  if (jwk.kty === "EC" && jwk.crv === "P-256") {
    const y = coordinate(jwk.y);
    if (x === undefined || y === undefined) {
      return refuse("not_a_jwk", "x and y are not 32 bytes of base64url each");
    }
    return ok(Object.freeze({ kty: "EC", crv: "P-256", x, y }));
  }
  return refuse("unsupported_key", "only Ed25519 and P-256 keys are supported");
}

/** Members RFC 7638 section 3.2 (and RFC 8037 section 2) hash, by key type. */
const THUMBPRINT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  OKP: ["crv", "kty", "x"],
  EC: ["crv", "kty", "x", "y"],
  RSA: ["e", "kty", "n"],
};

/**
 * RFC 7638 SHA-256 thumbprint, unpadded base64url: the key id of agents' keys. RSA is included
 * because key directories of agents may list such keys.
 *
 * @example
 * const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
 * await jwkThumbprint({ kty: "OKP", crv: "Ed25519", x }); //=> "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
 */
export async function jwkThumbprint(jwk: Readonly<Record<string, unknown>> | PublicJwk) {
  const source = jwk as Readonly<Record<string, unknown>>;
  const members = THUMBPRINT_MEMBERS[String(source.kty)];
  if (members === undefined) throw new TypeError("jwkThumbprint: unsupported key type");
  const required = Object.fromEntries(members.map((name) => [name, source[name]]));
  return toBase64url(await sha256(utf8(canonicalize(required))));
}
