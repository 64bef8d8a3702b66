import {
  type Ed25519Jwk,
  ed25519Jwk,
  isJsonObject,
  ok,
  parseJson,
  type Result,
  readNoteKey,
  readPublicJwk,
  refuse,
  serviceKeyId,
} from "@gatehouse/protocol";

/** Keys of a log, by id. */
export type Keys = ReadonlyMap<string, Ed25519Jwk>;

/** The Ed25519 keys of a key set; others are none of the log's (RFC 7517 section 5). */
export function readKeySet(text: string): Result<Keys, "malformed"> {
  const parsed = parseJson(text);
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value.keys : undefined;
  if (!Array.isArray(list)) return refuse("malformed", "it is not a key set");
  const keys = new Map<string, Ed25519Jwk>();
  for (const one of list) {
    const jwk = readPublicJwk(one);
    if (!jwk.ok || jwk.value.kty !== "OKP" || typeof one.kid !== "string") continue;
    keys.set(one.kid, jwk.value);
  }
  return keys.size > 0 ? ok(keys) : refuse("malformed", "it contains no Ed25519 key with an id");
}

/** What an auditor pastes: a key set, or one key as a line `name+id+key`. */
export async function readPastedKey(text: string): Promise<Result<Keys, "malformed">> {
  if (text.trimStart().startsWith("{")) return readKeySet(text);
  const line = await readNoteKey(text);
  if (!line.ok) return line;
  const { publicKey } = line.value;
  return ok(new Map([[await serviceKeyId("audit", publicKey), ed25519Jwk(publicKey)]]));
}
