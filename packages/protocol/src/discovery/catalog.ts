import { canonicalBytes } from "../json/canonicalize.js";
import type { JsonObject } from "../json/value.js";
import { signDetached } from "../jws/detached.js";
import type { Signer } from "../keys/signer.js";
import { protocolById } from "../protocols.js";
import { IDENTIFIERS } from "../wire.js";
import { jwsDates } from "./card.js";
import { catalogEntries } from "./catalog-entries.js";
import { didOf } from "./did.js";
import type { SiteSnapshot } from "./snapshot.js";

/** Who vouches for whom, and by which rules; the only part of a catalog that is signed. */
function manifestBody({ domain, addresses }: SiteSnapshot): JsonObject {
  return {
    identity: didOf(domain),
    identityType: "did",
    trustSchema: {
      identifier: IDENTIFIERS.trustSchema,
      version: "1.0",
      governanceUri: addresses.verifyGuide,
      verificationMethods: ["did:web", "jwks"],
    },
    // No digests: card and catalog are signed again every few minutes, each on its own.
    attestations: [
      { type: "agent-card", uri: addresses.card, mediaType: "application/a2a-agent-card+json" },
      { type: "publisher-key", uri: addresses.keySet, mediaType: "application/jwk-set+json" },
    ],
    provenance: [{ relation: "publishedFrom", sourceId: addresses.card }],
  };
}

function catalogWith(site: SiteSnapshot, trustManifest: JsonObject): JsonObject {
  return {
    specVersion: protocolById("ard").version ?? "",
    host: {
      displayName: site.name,
      identifier: didOf(site.domain),
      documentationUrl: site.addresses.agentPage,
      trustManifest,
    },
    entries: catalogEntries(site),
  };
}

/**
 * The catalog without its signature, for an owner to look at before the domain is verified.
 *
 * @example
 * previewCatalog(EXAMPLE_SITE).specVersion; //=> "1.0"
 */
export function previewCatalog(site: SiteSnapshot): JsonObject {
  const manifest = manifestBody(site);
  return { ...catalogWith(site, manifest), trustManifest: manifest };
}

/** A catalog in both forms; they differ in the root member only. */
export interface SignedCatalog {
  readonly catalog: JsonObject;
  /** Without `trustManifest` at the root, which ARD 0.9 validators refuse. */
  readonly ard: JsonObject;
}

/**
 * Signs a site's catalog: a detached JWS over the JCS text of the trust manifest, dated in its
 * header because the manifest has no member for dates.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * const { catalog } = await signCatalog(EXAMPLE_SITE, signer, Date.UTC(2030, 4, 17));
 * catalog.host.identifier; //=> "did:web:shop.example.com"
 */
export async function signCatalog(
  site: SiteSnapshot,
  signer: Signer,
  now: number,
): Promise<SignedCatalog> {
  const body = manifestBody(site);
  const signature = await signDetached(canonicalBytes(body), signer, jwsDates(now));
  const manifest = { ...body, signature };
  const ard = catalogWith(site, manifest);
  return { catalog: { ...ard, trustManifest: manifest }, ard };
}
