import type { JsonObject } from "../json/value.js";
import { protocolById } from "../protocols.js";
import { IDENTIFIERS } from "../wire.js";
import { cardSkill } from "./card.js";
import type { SiteSnapshot } from "./snapshot.js";

/** ARD readers index by these; two to five are asked for. */
const QUERIES_MAX = 5;

function queries({ name, skills }: SiteSnapshot): string[] {
  const own = skills.map(({ question }) => question).slice(0, QUERIES_MAX - 2);
  return [...own, `What does ${name} offer to AI agents?`, `How do I verify the agent of ${name}?`];
}

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly type: string;
  readonly url: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly queries: readonly string[];
  readonly more?: JsonObject;
}

function entry(site: SiteSnapshot, { name, title, more, ...fields }: Entry): JsonObject {
  // A urn has no room for the port that a development domain may carry.
  const publisher = site.domain.split(":")[0];
  return {
    identifier: `urn:air:${publisher}:${name}`,
    displayName: title,
    type: fields.type,
    url: fields.url,
    description: fields.description,
    tags: fields.tags,
    representativeQueries: fields.queries,
    version: site.version,
    updatedAt: site.changedAt,
    ...more,
  };
}

function cardEntry(site: SiteSnapshot): JsonObject {
  const skills = site.skills.map(cardSkill);
  const live =
    skills.length === 0
      ? {}
      : {
          capabilities: site.skills.map(({ id }) => id),
          extensions: { [IDENTIFIERS.skillsExtension]: skills },
        };
  return entry(site, {
    name: "agent:site",
    title: site.name,
    type: "application/a2a-agent-card+json",
    url: site.addresses.card,
    description: site.summary,
    tags: ["agent", "a2a"],
    queries: queries(site),
    more: live,
  });
}

function mcpEntry(site: SiteSnapshot): JsonObject {
  const { name, addresses, skills } = site;
  return entry(site, {
    name: "mcp:site",
    title: `${name}: MCP server`,
    type: "application/mcp-server-card+json",
    url: addresses.mcpServerCard,
    description: `The MCP server of ${name}: its skills as tools.`,
    tags: ["mcp", "tools"],
    queries: [`Which MCP tools does ${name} have?`, `How do I connect to ${name} over MCP?`],
    more: skills.length === 0 ? {} : { capabilities: skills.map(({ id }) => id) },
  });
}

function llmsEntry(site: SiteSnapshot): JsonObject {
  const { name, addresses } = site;
  return entry(site, {
    name: "docs:llms",
    title: `${name}: llms.txt`,
    type: "text/markdown",
    url: addresses.llms,
    description: `What ${name} is and offers, as plain text for language models.`,
    tags: ["llms-txt", "documentation"],
    queries: [`What is ${name}?`, `Where is the llms.txt of ${name}?`],
  });
}

function acpEntry(site: SiteSnapshot): JsonObject {
  const { name, limitation, version } = protocolById("acp");
  return entry(site, {
    name: "commerce:acp",
    title: `${site.name}: ${name}`,
    type: "application/json",
    url: site.addresses.acp,
    description: `${name} ${version}: built, ${limitation}. No checkout is offered through it.`,
    tags: ["acp", "not-enabled"],
    queries: [`Does ${site.name} support ACP?`, `Which ACP version does ${site.name} know?`],
  });
}

function ucpEntry(site: SiteSnapshot): JsonObject {
  const { name, version } = protocolById("ucp");
  return entry(site, {
    name: "commerce:ucp",
    title: `${site.name}: ${name}`,
    type: "application/json",
    url: site.addresses.ucpProfile,
    description: `The ${name} ${version} profile of ${site.name}: catalog, carts and checkout.`,
    tags: ["ucp", "checkout"],
    queries: [`How do I buy from ${site.name}?`, `Does ${site.name} support UCP checkout?`],
  });
}

/** What a catalog lists: every document that resolves, the agent card first. */
export function catalogEntries(site: SiteSnapshot): readonly JsonObject[] {
  const shop = site.sells ? [ucpEntry(site)] : [];
  return [cardEntry(site), mcpEntry(site), llmsEntry(site), ...shop, acpEntry(site)];
}
