import type { JsonObject } from "../json/value.js";
import type { Ed25519Jwk } from "../keys/jwk.js";
import type { SiteSnapshot } from "./snapshot.js";

/**
 * The did:web identifier of a domain; a port, which only development has, is escaped.
 *
 * @example
 * didOf("shop.example.com"); //=> "did:web:shop.example.com"
 * didOf("shop.localhost:8080"); //=> "did:web:shop.localhost%3A8080"
 */
export function didOf(domain: string): string {
  return `did:web:${domain.replace(":", "%3A")}`;
}

/** A key of the service's key set. */
export interface PublishedKey {
  readonly kid: string;
  readonly jwk: Ed25519Jwk;
}

/**
 * The did:web document of a site (W3C DID Core). It binds only once the owner serves it at
 * `https://{domain}/.well-known/did.json`: from here it is a text to take over.
 *
 * @example
 * const { jwk } = await generateEd25519("k1");
 * didDocument(EXAMPLE_SITE, [{ kid: "k1", jwk }]).assertionMethod; //=> ["did:web:shop.example.com#k1"]
 */
export function didDocument(site: SiteSnapshot, keys: readonly PublishedKey[]): JsonObject {
  const did = didOf(site.domain);
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/jwk/v1"],
    id: did,
    verificationMethod: keys.map(({ kid, jwk: { kty, crv, x } }) => ({
      id: `${did}#${kid}`,
      type: "JsonWebKey",
      controller: did,
      publicKeyJwk: { kty, crv, x, kid, alg: "EdDSA", use: "sig" },
    })),
    assertionMethod: keys.map(({ kid }) => `${did}#${kid}`),
    service: [
      { id: `${did}#agent-card`, type: "A2AAgentCard", serviceEndpoint: site.addresses.card },
      { id: `${did}#ai-catalog`, type: "AICatalog", serviceEndpoint: site.addresses.catalog },
    ],
  };
}
