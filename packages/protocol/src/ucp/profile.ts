import type { SiteSnapshot } from "../discovery/snapshot.js";
import type { JsonObject } from "../json/value.js";
import type { Es256Jwk } from "../keys/jwk.js";
import {
  capabilityEntry,
  mcpService,
  restService,
  SHOPPING,
  UCP_CAPABILITIES,
  UCP_VERSION,
} from "./capabilities.js";

/** A key that a site signs its answers with. */
export interface UcpKey {
  readonly kid: string;
  readonly jwk: Es256Jwk;
}

/**
 * What a shop says of itself to platforms (UCP's business profile). Nothing is offered while a gate
 * of checkout is shut, and its handlers are null: the shop is then there, and sells nothing.
 *
 * @example
 * const profile = ucpProfile(EXAMPLE_SITE, { handlers: null, keys: [] });
 * profile.ucp.capabilities; //=> {}
 */
export function ucpProfile(
  { addresses }: SiteSnapshot,
  { handlers, keys }: { readonly handlers: JsonObject | null; readonly keys: readonly UcpKey[] },
): JsonObject & { readonly ucp: JsonObject } {
  const offered = handlers === null ? [] : UCP_CAPABILITIES;
  return {
    ucp: {
      version: UCP_VERSION,
      services: {
        [SHOPPING]: [
          restService(addresses.ucp),
          // Its tools are there while something is sold, and not before.
          ...(handlers === null ? [] : [mcpService(addresses.mcp)]),
        ],
      },
      capabilities: Object.fromEntries(offered.map((name) => [name, [capabilityEntry(name)]])),
      payment_handlers: handlers ?? {},
    },
    keys: keys.map(({ kid, jwk: { kty, crv, x, y } }) => ({
      kid,
      kty,
      crv,
      x,
      y,
      use: "sig",
      alg: "ES256",
    })),
  };
}
