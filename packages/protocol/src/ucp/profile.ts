import type { SiteSnapshot } from "../discovery/snapshot.js";
import type { JsonObject } from "../json/value.js";
import type { Es256Jwk } from "../keys/jwk.js";
import { capabilityEntry, SHOPPING, serviceEntry, UCP_CAPABILITIES } from "./capabilities.js";
import { UCP_VERSION, type UcpVersion } from "./versions.js";

/** A key that a site signs its answers with. */
export interface UcpKey {
  readonly kid: string;
  readonly jwk: Es256Jwk;
}

interface ProfileContent {
  /** How it can be paid; null while a gate of checkout is shut. */
  readonly handlers: JsonObject | null;
  readonly keys: readonly UcpKey[];
  readonly version?: UcpVersion;
  /** Where the profiles of other versions are. Only the document at the root of a domain names them. */
  readonly others?: Readonly<Partial<Record<UcpVersion, string>>>;
}

/**
 * What a shop says of itself to platforms (UCP's business profile). Nothing is offered while a gate
 * of checkout is shut, and its handlers are null: the shop is then there, and sells nothing. Both versions
 * name the keys differently, and verifiers of webhooks may read either, so they are there twice.
 *
 * @example
 * const profile = ucpProfile(EXAMPLE_SITE, { handlers: null, keys: [] });
 * profile.ucp.capabilities; //=> {}
 */
export function ucpProfile(
  { addresses }: SiteSnapshot,
  { handlers, keys, version = UCP_VERSION, others = {} }: ProfileContent,
): JsonObject & { readonly ucp: JsonObject } {
  const offered = handlers === null ? [] : UCP_CAPABILITIES;
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
          // Its tools are there while something is sold, and not before.
          ...(handlers === null ? [] : [serviceEntry("mcp", addresses.mcp, version)]),
        ],
      },
      capabilities: Object.fromEntries(
        offered.map((name) => [name, [capabilityEntry(name, version)]]),
      ),
      payment_handlers: handlers ?? {},
    },
    keys: listed,
    signing_keys: listed,
  };
}
