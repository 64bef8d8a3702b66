import { type Ed25519Jwk, isJsonObject, parseJson, readPublicJwk } from "@gatehouse/protocol";

/** Where the service publishes what it signs documents and records with. */
export const KEY_SETS = {
  card: "/.well-known/jwks.json",
  audit: "/.well-known/audit-jwks.json",
} as const;

/** A browser that cannot verify must not say that something is not valid. */
async function requireEd25519(jwk: Ed25519Jwk): Promise<void> {
  try {
    await crypto.subtle.importKey("jwk", { ...jwk }, "Ed25519", false, ["verify"]);
  } catch (cause) {
    const advice = "Use Chrome 137, Firefox 129, Safari 17 or later.";
    throw new Error(`This browser cannot verify signatures. ${advice}`, { cause });
  }
}

/** The Ed25519 keys of a key set, by id. */
export async function loadKeys(path: string): Promise<ReadonlyMap<string, Ed25519Jwk>> {
  const response = await fetch(path, { cache: "no-cache" });
  const parsed = parseJson(await response.text());
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value.keys : undefined;
  if (!Array.isArray(list)) throw new Error(`${path} is not a key set.`);
  const keys = new Map<string, Ed25519Jwk>();
  for (const one of list) {
    const jwk = readPublicJwk(one);
    const named = isJsonObject(one) && typeof one.kid === "string" ? one.kid : undefined;
    if (jwk.ok && jwk.value.kty === "OKP" && named !== undefined) keys.set(named, jwk.value);
  }
  const [first] = keys.values();
  if (first !== undefined) await requireEd25519(first);
  return keys;
}
