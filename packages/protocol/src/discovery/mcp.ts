import type { JsonObject } from "../json/value.js";
import { protocolById } from "../protocols.js";
import type { LiveSkill } from "./skills.js";
import type { SiteSnapshot } from "./snapshot.js";

const NAME_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 100;
const QUESTION_CHARS_MAX = 500;

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
 * The MCP server card of a site (SEP-2127): where its server is and what it speaks, no tools.
 *
 * @example
 * mcpServerCard(EXAMPLE_SITE).name; //=> "com.example.shop/site"
 */
export function mcpServerCard(site: SiteSnapshot): JsonObject {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: serverName(site.domain),
    version: site.version,
    title: cut(site.name, TEXT_CHARS_MAX),
    description: cut(site.summary, TEXT_CHARS_MAX),
    websiteUrl: site.addresses.agentPage,
    remotes: [
      {
        type: "streamable-http",
        url: site.addresses.mcp,
        supportedProtocolVersions: [protocolById("mcp").version ?? ""],
      },
    ],
  };
}

const LINK_INPUT: JsonObject = {
  type: "object",
  properties: {
    question: {
      type: "string",
      maxLength: QUESTION_CHARS_MAX,
      description: "What the person wants to know, in their own words.",
    },
  },
  additionalProperties: false,
};

const LINK_OUTPUT: JsonObject = {
  type: "object",
  properties: {
    skill: { type: "string" },
    title: { type: "string" },
    url: { type: "string", format: "uri" },
    message: { type: "string" },
  },
  required: ["skill", "title", "url", "message"],
  additionalProperties: false,
};

function linkTool({ id, title, description }: LiveSkill): JsonObject {
  return {
    name: id,
    title,
    description,
    inputSchema: LINK_INPUT,
    outputSchema: LINK_OUTPUT,
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

/**
 * The site's skills as MCP tools, in the card's order.
 *
 * @example
 * mcpTools(EXAMPLE_SITE).map((tool) => tool.name); //=> ["get_pricing", "track_delivery"]
 */
export function mcpTools(site: SiteSnapshot): readonly JsonObject[] {
  return site.skills.map(linkTool);
}
