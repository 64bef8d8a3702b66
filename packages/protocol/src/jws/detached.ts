import { base64urlBytes, fromBase64url, toBase64url } from "../base64url.js";
import { concatBytes, utf8 } from "../bytes.js";
import { canonicalBytes } from "../json/canonicalize.js";
import { parseJson } from "../json/parse.js";
import { isJsonObject, type JsonObject } from "../json/value.js";
import type { PublicJwk } from "../keys/jwk.js";
import { algOf, type Signer, type Verify, verifyWithWebCrypto } from "../keys/signer.js";
import { ok, type Result, refuse } from "../result.js";

/** Longest protected header read, in characters of base64url. */
export const JWS_HEADER_CHARS_MAX = 4096;

/** Why a detached JWS was not accepted. */
export type JwsFault = "malformed" | "unsupported_header" | "unknown_key" | "signature_invalid";

/** Header parameters a signer may add; `alg` and `kid` come from the key. */
export interface JwsHeaderExtras {
  readonly typ?: string;
  readonly iat?: number;
  readonly exp?: number;
}

function signingInput(header: string, payload: Uint8Array): Uint8Array {
  return concatBytes(utf8(`${header}.`), base64urlBytes(payload));
}

/**
 * Signs bytes as a compact JWS with the payload left out (RFC 7515 appendix F): `header..sig`.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * (await signDetached(utf8("payload"), signer)).split(".")[1]; //=> ""
 */
export async function signDetached(
  payload: Uint8Array,
  signer: Signer,
  extras: JwsHeaderExtras = {},
): Promise<string> {
  const header = toBase64url(
    canonicalBytes({ typ: "JOSE", ...extras, alg: signer.alg, kid: signer.kid }),
  );
  const signature = await signer.sign(signingInput(header, payload));
  return `${header}..${toBase64url(signature)}`;
}

/** Finds the key a `kid` names; called before anything is verified. */
export type FindKey = (kid: string) => PublicJwk | undefined | Promise<PublicJwk | undefined>;

function readHeader(text: string): JsonObject | undefined {
  if (text.length > JWS_HEADER_CHARS_MAX) return undefined;
  const bytes = fromBase64url(text);
  const parsed = bytes === undefined ? undefined : parseJson(bytes);
  return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/**
 * Checks a detached JWS over `payload` and returns its protected header. The key is found by
 * `kid` and decides the algorithm. Headers that would change what was signed (`b64`, `crit`) or
 * bring their own key (`jwk`, `jku`, `x5u`, `x5c`) are refused. `iat` and `exp` are returned,
 * not judged: time is the caller's.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const jws = await signDetached(utf8("payload"), signer, { exp: 2000000000 });
 * (await verifyDetached(jws, utf8("payload"), () => jwk)).value.exp; //=> 2000000000
 * (await verifyDetached(jws, utf8("changed"), () => jwk)).reason; //=> "signature_invalid"
 */
export async function verifyDetached(
  jws: string,
  payload: Uint8Array,
  findKey: FindKey,
  verify: Verify = verifyWithWebCrypto,
): Promise<Result<JsonObject, JwsFault>> {
  const [headerText = "", middle, signatureText = "", ...rest] = jws.split(".");
  const signature = fromBase64url(signatureText);
  if (middle !== "" || rest.length > 0 || signature === undefined) {
    return refuse("malformed", "not a compact JWS with a detached payload");
  }
  const header = readHeader(headerText);
  if (header === undefined) return refuse("malformed", "the protected header is not strict JSON");
  if (["b64", "crit", "jwk", "jku", "x5u", "x5c"].some((name) => name in header)) {
    return refuse("unsupported_header", "the header uses a parameter that is not accepted");
  }
  const key = typeof header.kid === "string" ? await findKey(header.kid) : undefined;
  if (key === undefined) return refuse("unknown_key", "no key has the id the header names");
  if (header.alg !== algOf(key)) {
    return refuse("unsupported_header", "the algorithm is not the one of the key");
  }
  if (!(await verify(key, signingInput(headerText, payload), signature))) {
    return refuse("signature_invalid", "the signature does not verify");
  }
  return ok(header);
}
