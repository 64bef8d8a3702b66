import { COMPLETE_CHECKOUT } from "../discovery/shop-skills.js";
import type { SiteSnapshot } from "../discovery/snapshot.js";
import type { JsonObject } from "../json/value.js";
import type { Es256Jwk } from "../keys/jwk.js";
import { capabilityEntry, offeredCapabilities, SHOPPING, serviceEntry } from "./capabilities.js";
import { UCP_VERSION, type UcpVersion } from "./versions.js";

/** A key that a site signs its answers with. */
export interface UcpKey {
  readonly kid: string;
  readonly jwk: Es256Jwk;
}

interface ProfileContent {
  /** How it can be paid; null while checkout is closed. */
  readonly handlers: JsonObject | null;
  readonly keys: readonly UcpKey[];
  readonly version?: UcpVersion;
  /** Where the profiles of other versions are. Only the document at the root of a domain names them. */
  readonly others?: Readonly<Partial<Record<UcpVersion, string>>>;
}

/**
 * What a shop says of itself to platforms (UCP's business profile). While it sells nothing it lists no
 * capability, except that of its orders. Both versions name the keys differently, and verifiers of
 * webhooks may read either, so they are there twice.
 *
 * @example
 * const profile = ucpProfile(EXAMPLE_SITE, { handlers: null, keys: [] });
 * profile.ucp.capabilities; //=> {}
 */
export function ucpProfile(
  { addresses, offer }: SiteSnapshot,
  { handlers, keys, version = UCP_VERSION, others = {} }: ProfileContent,
): JsonObject & { readonly ucp: JsonObject } {
  const offered = offeredCapabilities(offer);
  const canPay = offer.buying.includes(COMPLETE_CHECKOUT);
  const listed = keys.map(({ kid, jwk: { kty, crv, x, y } }) => ({
    kid,
    kty,
    crv,
    x,
    y,
    use: "sig",
    alg: "ES256",
  }));
  return {
    ucp: {
      version,
      ...(Object.keys(others).length === 0 ? {} : { supported_versions: { ...others } }),
      services: {
        [SHOPPING]: [
          serviceEntry("rest", addresses.ucp, version),
          // Its tools are there while there is something for them to do.
          ...(offered.length === 0 ? [] : [serviceEntry("mcp", addresses.mcp, version)]),
        ],
      },
      capabilities: Object.fromEntries(
        offered.map((name) => [name, [capabilityEntry(name, version)]]),
      ),
      payment_handlers: (canPay ? handlers : null) ?? {},
    },
    keys: listed,
    signing_keys: listed,
  };
}
