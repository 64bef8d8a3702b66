import {
  fromBase64url,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jwkThumbprint,
  type KeySource,
  keySourceUrl,
  parseJson,
  parseUrl,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";

const KEYS_MAX = 32;

/** A JSON document from an address that an unknown caller named. */
async function fetchJson(
  { safeFetch }: Context,
  url: string,
  source: string,
): Promise<JsonObject | undefined> {
  const response = await safeFetch.get(url, { lane: "stranger", source });
  if (!response.ok || response.value.status !== 200) return undefined;
  const parsed = parseJson(response.value.body);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function listed(value: JsonValue | undefined): readonly JsonValue[] {
  const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return list.length > KEYS_MAX ? [] : list;
}

/** The key set that a card names: the `jku` of a signature, if it is on the card's own origin. */
function keySetOfCard(card: JsonObject, cardUrl: string): string | undefined {
  for (const signature of listed(card.signatures)) {
    const header = isJsonObject(signature) ? signature.protected : undefined;
    const bytes = typeof header === "string" ? fromBase64url(header) : undefined;
    const parsed = bytes === undefined ? undefined : parseJson(bytes);
    const jku = parsed?.ok && isJsonObject(parsed.value) ? parsed.value.jku : undefined;
    const url = typeof jku === "string" ? parseUrl(jku) : undefined;
    if (url !== undefined && url.origin === parseUrl(cardUrl)?.origin) return url.href;
  }
  return undefined;
}

/** The keys that an address publishes, read by the type of the source. */
async function publishedKeys(
  context: Context,
  { type, url }: KeySource,
  source: string,
): Promise<readonly JsonValue[]> {
  if (type === "directory") {
    const address = keySourceUrl({ label: null, uri: url, type });
    return address.ok ? listed((await fetchJson(context, address.value, source))?.keys) : [];
  }
  const document = await fetchJson(context, url, source);
  if (document === undefined) return [];
  if (type === "jwks_uri") return listed(document.keys);
  if (type === "did_web") {
    return listed(document.verificationMethod).map((method) =>
      isJsonObject(method) ? (method.publicKeyJwk ?? null) : null,
    );
  }
  const keySet = keySetOfCard(document, url);
  return keySet === undefined ? [] : listed((await fetchJson(context, keySet, source))?.keys);
}

/**
 * Whether an address really publishes a key. If it does, its owner vouches for the agent. `network` is the
 * network of the caller.
 */
export async function publishesKey(
  context: Context,
  keySource: KeySource,
  kid: string,
  network: string,
): Promise<boolean> {
  for (const jwk of await publishedKeys(context, keySource, network)) {
    if (!isJsonObject(jwk) || (jwk.kty !== "OKP" && jwk.kty !== "EC" && jwk.kty !== "RSA"))
      continue;
    if ((await jwkThumbprint(jwk)) === kid) return true;
  }
  return false;
}
