import { sha256, toHex, utf8 } from "../bytes.js";
import { canonicalBytes } from "../json/canonicalize.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { type FindKey, type JwsFault, signDetached, verifyDetached } from "../jws/detached.js";
import type { Signer, Verify } from "../keys/signer.js";
import { type Result, refuse } from "../result.js";

/** UCP's name for our kind of policy: the terms of a site, signed. */
export const TERMS_TYPE = "dev.gatehouse.policy.site_terms";

/** What a buyer agrees to. */
export interface SiteTerms {
  readonly text: string;
  readonly version: string;
}

/**
 * The terms of a site: the owner's, or plain words where there are none.
 *
 * @example
 * siteTerms({ name: "Fern & Petal", domain: "shop.example.com" }, null).version; //=> "gatehouse-2"
 */
export function siteTerms(
  { name, domain }: { readonly name: string; readonly domain: string },
  own: SiteTerms | null,
): SiteTerms {
  if (own !== null) return own;
  const text = [
    `Your order is a contract with ${name}, https://${domain}.`,
    `Your payment is authorized when you place the order. ${name} captures it.`,
    "The law on distance selling applies.",
  ].join("\n");
  return { text: `${text}\n`, version: "gatehouse-2" };
}

/**
 * The terms as a checkout carries them: an entry of `policies`, signed by the service with the key of
 * the site's card, over the canonical text of the entry without its signature.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * const terms = { text: "Be kind.", version: "1" };
 * const entry = await signTerms(terms, "https://gate.example.com/v1/ucp/x/terms", signer);
 * entry.type; //=> "dev.gatehouse.policy.site_terms"
 */
export async function signTerms(
  { text, version }: SiteTerms,
  url: string,
  signer: Signer,
): Promise<JsonObject> {
  const entry = {
    type: TERMS_TYPE,
    description: { plain: `The terms of this shop, version ${version}.` },
    url,
    version,
    sha256: toHex(await sha256(utf8(text))),
  };
  return { ...entry, signature: await signDetached(canonicalBytes(entry), signer) };
}

/**
 * Checks an entry of `policies` that carries signed terms; with the text, that it is the one signed.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const entry = await signTerms({ text: "Be kind.", version: "1" }, "https://gate.example.com/terms", signer);
 * (await verifyTerms(entry, () => jwk, { text: "Be kind." })).ok; //=> true
 * (await verifyTerms(entry, () => jwk, { text: "Be rude." })).reason; //=> "other_text"
 */
export async function verifyTerms(
  entry: JsonValue,
  findKey: FindKey,
  { text, verify }: { readonly text?: string; readonly verify?: Verify } = {},
): Promise<Result<JsonObject, JwsFault | "other_text">> {
  if (!isJsonObject(entry) || entry.type !== TERMS_TYPE || typeof entry.signature !== "string") {
    return refuse("malformed", "it is not an entry of signed terms");
  }
  const { signature, ...signed } = entry;
  if (text !== undefined && signed.sha256 !== toHex(await sha256(utf8(text)))) {
    return refuse("other_text", "the text is not the one that was signed");
  }
  return verifyDetached(signature, canonicalBytes(signed), findKey, verify);
}
