import type { JsonObject } from "../json/value.js";
import { protocolById } from "../protocols.js";
import type { SiteSnapshot } from "./snapshot.js";

/**
 * The ACP discovery document of a site. It says what is true: ACP is known here, and no service
 * of it is enabled, so no transport is offered either.
 *
 * @example
 * acpDocument(EXAMPLE_SITE).capabilities; //=> { services: [] }
 */
export function acpDocument({ addresses }: SiteSnapshot): JsonObject {
  const version = protocolById("acp").version ?? "";
  return {
    protocol: {
      name: "acp",
      version,
      supported_versions: [version],
      documentation_url: addresses.agentPage,
    },
    api_base_url: addresses.acp.replace(/\.json$/, ""),
    transports: [],
    capabilities: { services: [] },
  };
}
