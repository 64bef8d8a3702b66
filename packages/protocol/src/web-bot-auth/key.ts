import { fromBase64url, toBase64url } from "../base64url.js";
import { sha256, utf8 } from "../bytes.js";
import { canonicalize } from "../json/canonicalize.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";

/** What is known of each kind of key that may sign a page request. */
const KINDS = [
  {
    algorithm: "ed25519",
    matches: ({ kty, crv }: JsonObject) => kty === "OKP" && crv === "Ed25519",
    members: ["crv", "kty", "x"],
    import: { name: "Ed25519" },
    verify: { name: "Ed25519" },
  },
  {
    algorithm: "rsa-pss-sha512",
    matches: ({ kty }: JsonObject) => kty === "RSA",
    members: ["e", "kty", "n"],
    import: { name: "RSA-PSS", hash: "SHA-512" },
    verify: { name: "RSA-PSS", saltLength: 64 },
  },
  {
    algorithm: "ecdsa-p256-sha256",
    matches: ({ kty, crv }: JsonObject) => kty === "EC" && crv === "P-256",
    members: ["crv", "kty", "x", "y"],
    import: { name: "ECDSA", namedCurve: "P-256" },
    verify: { name: "ECDSA", hash: "SHA-256" },
  },
] as const;

/** Smaller ones are weak; larger ones, or with a large exponent, make a verifier work for nothing. */
const RSA_BYTES_MIN = 256;
const RSA_BYTES_MAX = 512;
const RSA_EXPONENT_BYTES_MAX = 4;

function isBearableRsa({ n, e }: JsonObject): boolean {
  const modulus = typeof n === "string" ? (fromBase64url(n)?.length ?? 0) : 0;
  const exponent = typeof e === "string" ? (fromBase64url(e)?.length ?? 0) : 0;
  return modulus >= RSA_BYTES_MIN && modulus <= RSA_BYTES_MAX && exponent <= RSA_EXPONENT_BYTES_MAX;
}

/** The algorithms of page signatures: each is the key's own, never the header's choice. */
export const PAGE_ALGORITHMS: readonly string[] = KINDS.map(({ algorithm }) => algorithm);

/** A public key of an agent, by the thumbprint that names it (RFC 7638). */
export interface AgentKey {
  readonly thumbprint: string;
  readonly algorithm: string;
  verify(message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

/**
 * Reads a public key of a directory; undefined for kinds that sign no page request, and for keys too
 * small to trust. The `kid` somebody gave it is not looked at: directories put anything there.
 *
 * @example
 * (await readAgentKey({ kty: "oct", k: "AAAA" })) === undefined; //=> true
 */
export async function readAgentKey(jwk: JsonValue): Promise<AgentKey | undefined> {
  if (!isJsonObject(jwk)) return undefined;
  const kind = KINDS.find(({ matches }) => matches(jwk));
  if (kind === undefined) return undefined;
  const required = Object.fromEntries(kind.members.map((name) => [name, jwk[name] ?? null]));
  if (Object.values(required).some((value) => typeof value !== "string")) return undefined;
  if (jwk.kty === "RSA" && !isBearableRsa(jwk)) return undefined;
  try {
    const format = { ...required, ext: true } as JsonWebKey;
    const key = await crypto.subtle.importKey("jwk", format, kind.import, false, ["verify"]);
    const thumbprint = toBase64url(await sha256(utf8(canonicalize(required))));
    return {
      thumbprint,
      algorithm: kind.algorithm,
      verify: (message, signature) =>
        crypto.subtle.verify(kind.verify, key, signature as BufferSource, message as BufferSource),
    };
  } catch {
    return undefined;
  }
}
