import type { SiteSnapshot } from "../discovery/snapshot.js";
import type { JsonObject } from "../json/value.js";
import { MCP_REVISIONS } from "./revisions.js";

const NAME_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 100;

function cut(text: string, charsMax: number): string {
  const characters = [...text];
  return characters.length <= charsMax ? text : `${characters.slice(0, charsMax - 1).join("")}…`;
}

/** `shop.example.com` → `com.example.shop/site`; of a very long domain, its own end of it. */
function serverName(domain: string): string {
  const labels = (domain.split(":")[0] as string).split(".").reverse();
  const room = NAME_CHARS_MAX - "/site".length;
  while (labels.length > 1 && labels.join(".").length > room) labels.shift();
  return `${labels.join(".")}/site`;
}

/**
 * What a site's MCP server calls itself in every revision of the protocol.
 *
 * @example
 * mcpServerInfo(EXAMPLE_SITE); //=> { name: "com.example.shop/site", title: "Fern & Petal", version: "1.0.3" }
 */
export function mcpServerInfo(site: SiteSnapshot): JsonObject {
  return { name: serverName(site.domain), title: site.name, version: site.version };
}

/**
 * The MCP server card of a site (SEP-2127): where its server is and what it speaks, no tools.
 *
 * @example
 * mcpServerCard(EXAMPLE_SITE).name; //=> "com.example.shop/site"
 */
export function mcpServerCard(site: SiteSnapshot): JsonObject {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    ...mcpServerInfo(site),
    title: cut(site.name, TEXT_CHARS_MAX),
    description: cut(site.summary, TEXT_CHARS_MAX),
    websiteUrl: site.addresses.agentPage,
    remotes: [
      {
        type: "streamable-http",
        url: site.addresses.mcp,
        supportedProtocolVersions: MCP_REVISIONS,
      },
    ],
  };
}
