import {
  type FindKey,
  IDENTIFIERS,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type PublicJwk,
  parseJson,
  parseUrl,
  readPublicJwk,
} from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import { isPrivate, readSource, type Source } from "./source.js";

const KEY_SET_PATH = "/.well-known/jwks.json";
export const AUDIT_KEY_SET_PATH = "/.well-known/audit-jwks.json";

/** An origin alone means its well-known key set. */
export function keySetAddress(text: string, path = KEY_SET_PATH): string {
  const url = parseUrl(text);
  const origin = url?.protocol.startsWith("http") === true && url.pathname === "/";
  return origin ? url.origin + path : text;
}

const objectAt = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const textAt = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(objectAt) : [];
}

/** The part of a card that speaks of its site: a member of its own, or where A2A keeps extensions. */
function siteIn(card: JsonObject): JsonObject {
  const { extensions } = objectAt(card.capabilities);
  const own = objectsIn(extensions).find(({ uri }) => uri === IDENTIFIERS.siteExtension);
  return "signing" in card ? objectAt(card.site) : objectAt(own?.params);
}

/**
 * The domain a document speaks for, and the key set it names, from members that its signature
 * covers; neither is to be believed before that was checked.
 */
export function claimsOf(document: JsonObject): { readonly domain: string; readonly keys: string } {
  if (!("entries" in document)) {
    const { domain, jwks_url } = siteIn(document);
    return { domain: textAt(domain), keys: textAt(jwks_url) };
  }
  const manifest = objectAt(document.trustManifest ?? objectAt(document.host).trustManifest);
  const keys = objectsIn(manifest.attestations).find(({ type }) => type === "publisher-key");
  const domain = textAt(manifest.identity)
    .replace(/^did:web:/, "")
    .replace("%3A", ":");
  return { domain, keys: textAt(keys?.uri) };
}

/** A file cannot say whose keys it should be checked with. */
export function noKeysNamed(): CommandError {
  const hint =
    "A file could bring its own: name the service, as in --keys https://gate.example.com";
  return new CommandError("Say whose keys you trust.", EXIT.usage, hint);
}

/**
 * Whose keys to believe when nobody said: those of the server the document came from. A site that
 * serves the document itself may name its service's keys, since its own connection vouches for it.
 */
export function trustedKeySet(source: Source, document: JsonObject): string {
  const { url } = source;
  if (url === undefined) throw noKeysNamed();
  const own = url.origin + KEY_SET_PATH;
  const { domain, keys } = claimsOf(document);
  const address = parseUrl(keys);
  if (url.host !== domain || address === undefined) return own;
  // A document may name an address, never a file, and none that somebody on the way could change.
  return isPrivate(address) ? address.href : own;
}

/** The keys of a set, by id. */
export async function loadKeys(address: string): Promise<ReadonlyMap<string, PublicJwk>> {
  const { bytes, url } = await readSource(address);
  if (url !== undefined && !isPrivate(url)) {
    const why = `The key set came from ${url.host} over plain HTTP, where anybody could change it.`;
    throw new CommandError(why, EXIT.failed, "Name it by https, or a file you have it in: --keys");
  }
  const parsed = parseJson(bytes);
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value.keys : undefined;
  if (!Array.isArray(list)) {
    const hint = "Name the service itself, as in https://gate.example.com";
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

/** Looks a key up, and fetches the set once more before an id counts as unknown. */
export function keyFinder(address: string): FindKey {
  let keys: ReadonlyMap<string, PublicJwk> | undefined;
  return async (kid) => {
    keys ??= await loadKeys(address);
    if (!keys.has(kid)) keys = await loadKeys(address);
    return keys.get(kid);
  };
}
