import {
  type FindKey,
  IDENTIFIERS,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type PublicJwk,
  parseJson,
  readPublicJwk,
} from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import { readSource, type Source } from "./source.js";

const KEY_SET_PATH = "/.well-known/jwks.json";

/** An origin alone means its well-known key set. */
export function keySetAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const origin = url?.protocol.startsWith("http") === true && url.pathname === "/";
  return origin ? url.origin + KEY_SET_PATH : text;
}

const objectAt = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const textAt = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** What a card says of its site: in a member of its own, or where A2A keeps extensions. */
function siteOf(document: JsonObject): { readonly domain: string; readonly keys: string } {
  const site = objectAt(document.site);
  const { extensions } = objectAt(document.capabilities);
  const own = (Array.isArray(extensions) ? extensions : []).map(objectAt);
  const params = objectAt(own.find(({ uri }) => uri === IDENTIFIERS.siteExtension)?.params);
  return {
    domain: textAt(site.domain ?? params.domain),
    keys: textAt(site.jwks_url ?? params.jwks_url),
  };
}

/** The key set a document names as its own; what it says is not yet to be believed. */
function named(document: JsonObject): string {
  const { attestations } = objectAt(objectAt(document.host).trustManifest);
  const own = (Array.isArray(attestations) ? attestations : []).map(objectAt);
  return siteOf(document).keys || textAt(own.find(({ type }) => type === "publisher-key")?.uri);
}

/** The domain a document claims to speak for. */
export function domainOf(document: JsonObject): string {
  const did = textAt(objectAt(document.host).identifier);
  return siteOf(document).domain || did.replace(/^did:web:/, "").replace("%3A", ":");
}

/**
 * Whose keys to believe when nobody said: those of the server the document came from. A site that
 * serves the document itself may name its service's keys, since its own connection vouches for it.
 */
export function trustedKeySet(source: Source, document: JsonObject): string {
  const { url } = source;
  if (url === undefined) {
    const hint =
      "A file could bring its own: name the service, as in --keys https://gate.example.com";
    throw new CommandError("Say whose keys you trust.", EXIT.usage, hint);
  }
  const theirs = named(document);
  if (theirs !== "" && url.host === domainOf(document)) return theirs;
  return url.origin + KEY_SET_PATH;
}

async function loadKeys(address: string): Promise<ReadonlyMap<string, PublicJwk>> {
  const { bytes } = await readSource(address);
  const parsed = parseJson(bytes);
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value.keys : undefined;
  if (!Array.isArray(list)) throw new CommandError(`${address} is not a key set.`, EXIT.failed);
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
