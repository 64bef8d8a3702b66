import {
  type FindKey,
  isJsonObject,
  isSecureUrl,
  KEY_SET_PATH,
  type PublicJwk,
  parseJson,
  parseUrl,
  readPublicJwk,
} from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import { readSource } from "./source.js";

export const AUDIT_KEY_SET_PATH = "/.well-known/audit-jwks.json";

/** An origin alone means its well-known key set. */
export function keySetAddress(text: string, path = KEY_SET_PATH): string {
  const url = parseUrl(text);
  const origin = url?.protocol.startsWith("http") === true && url.pathname === "/";
  return origin ? url.origin + path : text;
}

/** A file cannot say whose keys it should be checked with. */
export function noKeysNamed(): CommandError {
  const hint =
    "A file cannot vouch for its own keys. Specify the service, such as --keys https://gate.example.com";
  return new CommandError("--keys is required to verify a file.", EXIT.usage, hint);
}

/** The keys of a set, by id. */
export async function loadKeys(address: string): Promise<ReadonlyMap<string, PublicJwk>> {
  const { bytes, url } = await readSource(address);
  if (url !== undefined && !isSecureUrl(url)) {
    const why = `The key set came from ${url.host} over plain HTTP, where others can change it.`;
    throw new CommandError(why, EXIT.failed, "Use --keys with an https address or a file.");
  }
  const parsed = parseJson(bytes);
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value.keys : undefined;
  if (!Array.isArray(list)) {
    const hint = "Use the address of the service, such as https://gate.example.com";
    throw new CommandError(`${address} is not a key set.`, EXIT.failed, hint);
  }
  const keys = new Map<string, PublicJwk>();
  for (const one of list) {
    const jwk = readPublicJwk(one);
    // Keys of kinds we do not use are none of our business (RFC 7517 section 5).
    if (jwk.ok && isJsonObject(one) && typeof one.kid === "string") keys.set(one.kid, jwk.value);
  }
  return keys;
}

/**
 * Looks a key up, and fetches the set once more before an id counts as unknown; once in all, since a
 * document can name any number of ids.
 */
export function keyFinder(address: string): FindKey {
  let keys: ReadonlyMap<string, PublicJwk> | undefined;
  let fresh = false;
  return async (kid) => {
    keys ??= await loadKeys(address);
    if (!keys.has(kid) && !fresh) {
      fresh = true;
      keys = await loadKeys(address);
    }
    return keys.get(kid);
  };
}
