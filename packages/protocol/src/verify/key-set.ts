import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { isSecureUrl, parseUrl } from "../url.js";
import { IDENTIFIERS } from "../wire.js";
import { member, text } from "./document.js";

/** Where a service has the keys that cards and catalogs are signed with. */
export const KEY_SET_PATH = "/.well-known/jwks.json";

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The part of a card that speaks of its site: a member of its own, or where A2A keeps extensions. */
function siteIn(card: JsonObject): JsonValue | undefined {
  if ("signing" in card) return card.site;
  const extensions = objectsIn(member(card, "capabilities", "extensions"));
  return extensions.find(({ uri }) => uri === IDENTIFIERS.siteExtension)?.params;
}

/**
 * The domain a document speaks for, and the key set it names, from members that its signature
 * covers; neither is to be believed before that was checked.
 *
 * @example
 * documentClaims({ signing: {}, site: { domain: "shop.example.com" } }); //=> { domain: "shop.example.com", keys: "" }
 */
export function documentClaims(document: JsonObject): {
  readonly domain: string;
  readonly keys: string;
} {
  if (!("entries" in document)) {
    const site = siteIn(document);
    return { domain: text(site, "domain"), keys: text(site, "jwks_url") };
  }
  const manifest = document.trustManifest ?? member(document, "host", "trustManifest");
  const attestations = objectsIn(member(manifest, "attestations"));
  const domain = text(manifest, "identity")
    .replace(/^did:web:/, "")
    .replace("%3A", ":");
  return {
    domain,
    keys: text(
      attestations.find(({ type }) => type === "publisher-key"),
      "uri",
    ),
  };
}

/**
 * Whose keys to believe when nobody said: those of the server the document came from. A site that
 * serves the document itself may name its service's keys, since its own connection vouches for it.
 *
 * @example
 * const site = { domain: "shop.example.com", jwks_url: "https://gate.example.com/keys.json" };
 * const card = { signing: {}, site };
 * trustedKeySet(new URL("https://shop.example.com/card"), card); //=> "https://gate.example.com/keys.json"
 * trustedKeySet(new URL("https://other.example/card"), card); //=> "https://other.example/.well-known/jwks.json"
 */
export function trustedKeySet({ origin, host }: URL, document: JsonObject): string {
  const own = origin + KEY_SET_PATH;
  const { domain, keys } = documentClaims(document);
  const address = parseUrl(keys);
  if (host !== domain || address === undefined) return own;
  // A document may name an address, never a file, and none that somebody on the way could change.
  return isSecureUrl(address) ? address.href : own;
}
