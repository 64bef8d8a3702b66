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
import { readSource, type Source } from "./source.js";

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

/** The bytes of a key set. Without a network, a copy of it is as good. */
async function readKeySet(address: string, path: string): Promise<Source> {
  try {
    return await readSource(address);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== EXIT.unreachable) throw error;
    const hint = `${error.hint} To verify offline, use a saved copy of its ${path}.`;
    throw new CommandError(error.message, error.code, hint);
  }
}

/** The keys of a set, by id. `path` is where services publish such a set. */
export async function loadKeys(
  address: string,
  path = KEY_SET_PATH,
): Promise<ReadonlyMap<string, PublicJwk>> {
  const { bytes, url } = await readKeySet(address, path);
  if (url !== undefined && !isSecureUrl(url)) {
    const why = `The key set came from ${url.host} over plain HTTP, where others can change it.`;
    throw new CommandError(why, EXIT.failed, "Use --keys with an https address or a file.");
  }
  const parsed = parseJson(bytes);
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value.keys : undefined;
  if (!Array.isArray(list)) {
    const hint = `Use the address of the service, such as https://gate.example.com, or a saved copy of its ${path}.`;
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
