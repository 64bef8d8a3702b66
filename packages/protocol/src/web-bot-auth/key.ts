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
  },
  {
    algorithm: "rsa-pss-sha512",
    matches: ({ kty }: JsonObject) => kty === "RSA",
    members: ["e", "kty", "n"],
    import: { name: "RSA-PSS", hash: "SHA-512" },
  },
  {
    algorithm: "ecdsa-p256-sha256",
    matches: ({ kty, crv }: JsonObject) => kty === "EC" && crv === "P-256",
    members: ["crv", "kty", "x", "y"],
    import: { name: "ECDSA", namedCurve: "P-256" },
  },
] as const;

const RSA_BYTES_MIN = 256;

/** The algorithms of page signatures: each is the key's own, never the header's choice. */
export const PAGE_ALGORITHMS: readonly string[] = KINDS.map(({ algorithm }) => algorithm);

/** A public key of an agent, by the thumbprint that names it (RFC 7638). */
export interface AgentKey {
  readonly thumbprint: string;
  readonly algorithm: string;
  readonly key: CryptoKey;
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
  if (jwk.kty === "RSA" && (fromBase64url(jwk.n as string)?.length ?? 0) < RSA_BYTES_MIN) {
    return undefined;
  }
  try {
    const format = { ...required, ext: true } as JsonWebKey;
    const key = await crypto.subtle.importKey("jwk", format, kind.import, false, ["verify"]);
    const thumbprint = toBase64url(await sha256(utf8(canonicalize(required))));
    return { thumbprint, algorithm: kind.algorithm, key };
  } catch {
    return undefined;
  }
}
